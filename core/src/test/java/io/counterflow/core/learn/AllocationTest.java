package io.counterflow.core.learn;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.ExampleLoss;
import io.counterflow.core.objective.Objectives;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.simulation.SimulatedLoop;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Training and scoring leave no garbage, whatever the number of examples. */
final class AllocationTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void aStepOfADenseModelAllocatesNothing() {
        SimulatedLoop loop = new SimulatedLoop(10, 50, 1);
        ExampleLog log =
                loop.log(Policy.uniform(DenseModel.zeros(10, 50)), 1_000, new EventRandom(2));
        assertThat(bytesOfAnEpoch(log, SimulatedLoop.randomModel(10, 50, 0.1, 3))).isZero();
    }

    @Test
    void aStepOfADenseModelAllocatesNothingWithExclusionsEither() {
        SimulatedLoop loop = new SimulatedLoop(10, 50, 1);
        ExampleLog log =
                loop.log(Policy.uniform(DenseModel.zeros(10, 50)), 1_000, new EventRandom(2));
        assertThat(bytesOfAnEpoch(withExclusions(log), SimulatedLoop.randomModel(10, 50, 0.1, 3)))
                .isZero();
    }

    @Test
    void aStepOfAHashedModelAllocatesNothing() {
        ExampleLog log = hashedLog();
        assertThat(bytesOfAnEpoch(log, HashedModel.zeros(12))).isZero();
        assertThat(bytesOfAnEpoch(withExclusions(log), HashedModel.zeros(12))).isZero();
    }

    /** In every second example the action after the one that was chosen is excluded. */
    private static ExampleLog withExclusions(ExampleLog log) {
        ExampleLog restricted = new ExampleLog();
        for (int i = 0; i < log.size(); i++) {
            LoggedExample e = log.example(i);
            AllowedActions allowed =
                    i % 2 == 0 ? AllowedActions.ALL : AllowedActions.allBut((e.action() + 1) % 3);
            restricted.add(
                    new LoggedExample(
                            e.features(), allowed, e.action(), e.propensity(), e.reward(), 0));
        }
        return restricted;
    }

    private static ExampleLog hashedLog() {
        EventRandom random = new EventRandom(4);
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < 500; i++) {
            int[] starts = {0, 10, 20, 30};
            int[] indices = new int[30];
            float[] values = new float[30];
            for (int e = 0; e < 30; e++) {
                indices[e] = random.nextInt(1 << 12);
                values[e] = (float) random.nextGaussian();
            }
            ActionFeatures phi = ActionFeatures.of(12, starts, indices, values);
            log.add(new LoggedExample(phi, random.nextInt(3), 1.0 / 3.0, random.nextDouble(), 0));
        }
        return log;
    }

    /**
     * More than enough for the compiler, also on a busy machine. Before it is done, vectors are
     * objects.
     */
    private static final Duration WARM_UP_LIMIT = Duration.ofSeconds(60);

    /**
     * Too few for the scores with vectors, which are objects in a JVM whose compiler gives up on
     * their code. That depends on what the JVM has run before.
     */
    private static final int ACTIONS = 5;

    /**
     * Bytes that this thread allocates in an epoch of steps and a pass, once that is compiled: the
     * least of the epochs so far, until it is zero.
     */
    private static long bytesOfAnEpoch(ExampleLog log, LinearModel start) {
        ExampleLoss loss = Objectives.ipsL2(0.01, 1e-3).fixedLoss().orElseThrow();
        Learner learner =
                Learner.start(start, start.zeros(), 1e-3, 1.0, new AdaGrad(0.1, 1.0), 100);
        int n = log.size();
        int[] order = new int[n];
        double[] coefficients = new double[n];
        double[] logProbabilities = new double[n];
        for (int i = 0; i < n; i++) {
            order[i] = i;
            coefficients[i] = loss.coefficient(log.propensity(i), log.reward(i));
        }
        long least = Long.MAX_VALUE;
        long end = System.nanoTime() + WARM_UP_LIMIT.toNanos();
        while (least > 0 && System.nanoTime() < end) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            epoch(log, learner, loss, order, coefficients, logProbabilities);
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }

    private static void epoch(
            ExampleLog log,
            Learner learner,
            ExampleLoss loss,
            int[] order,
            double[] coefficients,
            double[] logProbabilities) {
        for (int from = 0; from < order.length; from += 100) {
            learner.step(log, coefficients, loss, order, from, Math.min(from + 100, order.length));
        }
        learner.logProbabilities(log, logProbabilities);
    }

    @Test
    void aDistributionAllocatesNothing() {
        SimulatedLoop loop = new SimulatedLoop(ACTIONS, 50, 1);
        ExampleLog log =
                loop.log(Policy.uniform(DenseModel.zeros(ACTIONS, 50)), 200, new EventRandom(2));
        ExampleLog restricted = withExclusions(log);
        Policy policy =
                new Policy(
                        SimulatedLoop.randomModel(ACTIONS, 50, 0.1, 3),
                        DecisionRule.softmax(2.0, 0.1));
        double[] probabilities = new double[ACTIONS];
        long least = Long.MAX_VALUE;
        long end = System.nanoTime() + WARM_UP_LIMIT.toNanos();
        while (least > 0 && System.nanoTime() < end) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            scoreAll(log, policy, probabilities);
            scoreAll(restricted, policy, probabilities);
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isZero();
    }

    private static void scoreAll(ExampleLog log, Policy policy, double[] probabilities) {
        for (int i = 0; i < log.size(); i++) {
            policy.probabilities(log.features(i), log.allowed(i), probabilities);
        }
    }
}
