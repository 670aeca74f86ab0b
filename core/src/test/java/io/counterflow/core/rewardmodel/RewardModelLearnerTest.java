package io.counterflow.core.rewardmodel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PropensityKind;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RewardModelLearnerTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** The log-odds of the first mean reward, 1/20. */
    private static final double FIRST_LOG_ODDS = Math.log(1.0 / 19.0);

    private static final int FREEZE = 1_000;

    private static RewardModelLearner start(LinearModel start) {
        return RewardModelLearner.start(start);
    }

    private static LoggedExample example(Features features, int action, double reward) {
        return new LoggedExample(features, action, 0.5, reward, 0);
    }

    /** A request with one action, whose only features are these. */
    private static ActionFeatures row(int bits, int[] indices, float... values) {
        return ActionFeatures.of(bits, new int[] {0, indices.length}, indices, values);
    }

    private static double sigma(double logOdds) {
        return 1.0 / (1.0 + Math.exp(-logOdds));
    }

    @Test
    void oneStepHasTheValuesComputedByHand() {
        // ‖φ‖² = 4, so v = 1/4 and s = 1; the challenger has v = 1 and s = 4
        RewardModelLearner learner = start(HashedModel.zeros(2));
        learner.learn(example(row(2, new int[] {1}, 2.0f), 0, 1.0));

        double p = sigma(FIRST_LOG_ODDS + 0.3);
        double h = p * (1.0 - p);
        RewardBelief champion = learner.state().champion();
        float mean = (float) (0.25 * 2.0 * (1.0 - p) / (1.0 + h));
        assertThat(champion.means()[1]).isCloseTo(mean, within(1e-6f));
        assertThat(champion.variances()[1])
                .isCloseTo((float) (0.25 - h * 0.25 / (1.0 + h)), within(1e-6f));
        assertThat(champion.means()).containsExactly(0.0f, champion.means()[1], 0.0f, 0.0f);
        RewardBelief challenger = learner.state().challenger();
        assertThat(challenger.means()[1])
                .isCloseTo((float) (2.0 * (1.0 - p) / (1.0 + 4.0 * h)), within(1e-6f));
        assertThat(challenger.variances()[1])
                .isCloseTo((float) (1.0 - 4.0 * h / (1.0 + 4.0 * h)), within(1e-6f));
        assertThat(learner.state().progress().meanReward())
                .isCloseTo(2.0 / 21.0, within(1e-12)); // one in 20 before, then one more
    }

    @Test
    void theWeightOfTheStartingPolicyIsLearnedOverTheAllowedActions() {
        // Scores 1, 0 and 5, but the last action is excluded: o = ln σ(1)
        DenseModel start = new DenseModel(new float[][] {{1.0f}, {0.0f}, {5.0f}}, new float[3]);
        RewardModelLearner learner = start(start);
        learner.learn(
                new LoggedExample(DenseVector.of(1.0f), AllowedActions.allBut(2), 0, 0.5, 1.0, 0));

        double o = -Math.log(1.0 + Math.exp(-1.0));
        double p = sigma(FIRST_LOG_ODDS); // no optimism with a starting policy
        double h = p * (1.0 - p);
        double s = 1.0 + 1.0 + 0.25 * o * o; // weight, bias of the action, α
        double g = (1.0 - p) / (1.0 + h * s);
        double alpha = learner.state().champion().offsetWeight();
        assertThat(alpha).isCloseTo(0.25 * o * g, within(1e-12));
        DenseModel served = (DenseModel) learner.model(1.0);
        assertThat(served.weights(0)[0]).isCloseTo((float) (alpha + g), within(1e-6f));
        assertThat(served.weights(2)[0]).isCloseTo((float) (5.0 * alpha), within(1e-6f));
        assertThat(served.biases()[0]).isCloseTo((float) g, within(1e-6f));
    }

    @Test
    void approachesTheMaximumOfTheExactPosterior() {
        double early = distanceToMaximum(500);
        double late = distanceToMaximum(20_000);
        assertThat(late).isLessThan(0.05);
        assertThat(late).isLessThan(early);
    }

    /**
     * Largest difference of the log-odds of four cells to the maximum of the exact posterior, with
     * prior variances of 1 around what is shared. Checks the variances with the exact precision.
     */
    private static double distanceToMaximum(int n) {
        double[] truth = {-3.0, -2.0, -1.0, 0.5};
        EventRandom random = new EventRandom(5);
        RewardModelLearner learner = start(HashedModel.zeros(2));
        double[] counts = new double[4];
        double[] rewards = new double[4];
        for (int i = 0; i < n; i++) {
            int cell = random.nextInt(4);
            double reward = random.nextDouble() < sigma(truth[cell]) ? 1.0 : 0.0;
            learner.learn(example(row(2, new int[] {cell}, 1.0f), 0, reward));
            counts[cell]++;
            rewards[cell] += reward;
        }
        double mean = learner.state().progress().meanReward();
        double shared = Math.log(mean / (1.0 - mean)) + 0.3;
        RewardBelief belief = learner.state().champion();
        double largest = 0.0;
        for (int cell = 0; cell < 4; cell++) {
            double w = maximum(counts[cell], rewards[cell], shared);
            largest = Math.max(largest, Math.abs(belief.means()[cell] - w));
            double p = sigma(w + shared);
            double precision = 1.0 + counts[cell] * p * (1.0 - p);
            if (n >= 20_000) {
                assertThat(belief.variances()[cell] * precision).isCloseTo(1.0, within(0.35));
            }
        }
        return largest;
    }

    /** Newton's method, damped; the logarithm of the posterior is concave. */
    private static double maximum(double count, double reward, double shared) {
        double w = 0.0;
        for (int step = 0; step < 500; step++) {
            double p = sigma(w + shared);
            w += 0.1 * (reward - count * p - w) / (1.0 + count * p * (1.0 - p));
        }
        return w;
    }

    @Test
    void theUnitsOfFeaturesDoNotMatter() {
        RewardModelLearner one = start(HashedModel.zeros(6));
        RewardModelLearner scaled = start(HashedModel.zeros(6));
        for (LoggedExample example : simulated(2_500, 6, 1.0f)) {
            one.learn(example);
        }
        for (LoggedExample example : simulated(2_500, 6, 1024.0f)) {
            scaled.learn(example);
        }
        float[] expected = FlatParameters.of(one.freeze(1.0));
        float[] weights = FlatParameters.of(scaled.freeze(1.0));
        for (int i = 0; i < weights.length; i++) {
            assertThat(1024.0f * weights[i]).isEqualTo(expected[i]); // a power of two: same bits
        }
    }

    /** Requests of three actions with random features; the first feature decides. */
    private static List<LoggedExample> simulated(int n, int bits, float unit) {
        EventRandom random = new EventRandom(7);
        List<LoggedExample> examples = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            int[] indices = new int[12];
            float[] values = new float[12];
            for (int e = 0; e < indices.length; e++) {
                indices[e] = random.nextInt(1 << bits); // often twice in a row
                values[e] = unit * (float) random.nextGaussian();
            }
            ActionFeatures phi = ActionFeatures.of(bits, new int[] {0, 4, 8, 12}, indices, values);
            int action = random.nextInt(3);
            double z = -1.0 + 0.1 * (indices[4 * action] - (1 << bits) / 2);
            double reward = random.nextDouble() < 1.0 / (1.0 + Math.exp(-z)) ? 1.0 : 0.0;
            examples.add(example(phi, action, reward));
        }
        return examples;
    }

    @Test
    void valuesOfEqualIndicesAreAdded() {
        RewardModelLearner once = start(HashedModel.zeros(3));
        RewardModelLearner twice = start(HashedModel.zeros(3));
        for (double reward : new double[] {1.0, 0.0, 0.3}) {
            once.learn(example(row(3, new int[] {5, 2}, 3.0f, 1.0f), 0, reward));
            twice.learn(example(row(3, new int[] {5, 2, 5}, 1.0f, 1.0f, 2.0f), 0, reward));
        }
        assertThat(twice.model(1.0)).isEqualTo(once.model(1.0));
    }

    @Test
    void sparseAndDenseVectorsGiveTheSameBits() {
        RewardModelLearner dense = start(DenseModel.zeros(2, 3));
        RewardModelLearner sparse = start(DenseModel.zeros(2, 3));
        for (int i = 0; i < 50; i++) {
            double reward = i % 3 == 0 ? 1.0 : 0.0;
            dense.learn(example(DenseVector.of(0.0f, i, -1.0f), i % 2, reward));
            int[] indices = i == 0 ? new int[] {2} : new int[] {1, 2};
            float[] values = i == 0 ? new float[] {-1.0f} : new float[] {i, -1.0f};
            sparse.learn(example(new SparseVector(3, indices, values), i % 2, reward));
        }
        assertThat(sparse.model(1.0)).isEqualTo(dense.model(1.0));
    }

    @Test
    void theFrozenPolicyIsGreedyWithExactPropensitiesOverTheAllowedActions() {
        RewardModelLearner learner = start(DenseModel.zeros(3, 1));
        for (int i = 0; i < 30; i++) {
            learner.learn(example(DenseVector.of(1.0f), i % 2, i % 2 == 0 ? 1.0 : 0.0));
        }
        for (double beta : new double[] {1.0, 0.01, 50.0}) {
            DecisionRule rule = DecisionRule.softmax(beta, 0.06);
            Policy policy = new Policy(learner.freeze(beta), rule);
            double[] probabilities = new double[3];
            policy.probabilities(DenseVector.of(1.0f), AllowedActions.ALL, probabilities);
            assertThat(probabilities)
                    .containsExactly(new double[] {0.96, 0.02, 0.02}, within(1e-12));
            policy.probabilities(DenseVector.of(1.0f), AllowedActions.allBut(0), probabilities);
            assertThat(probabilities)
                    .containsExactly(new double[] {0.0, 0.03, 0.97}, within(1e-12));
            Decision decision =
                    policy.decide(DenseVector.of(1.0f), AllowedActions.ALL, new EventRandom(1));
            assertThat(decision.kind()).isEqualTo(PropensityKind.EXACT);
        }
    }

    @Test
    void theGreedyProbabilityIsThatOfTheFrozenPolicy() {
        List<LoggedExample> hashed = simulated(300, 6, 1.0f);
        assertGreedyProbabilitiesAreServed(startingPolicy(6), hashed);
        assertGreedyProbabilitiesAreServed(HashedModel.zeros(6), hashed);
        List<LoggedExample> dense = new ArrayList<>();
        List<LoggedExample> sparse = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            AllowedActions allowed =
                    i % 4 == 0 ? AllowedActions.allBut((i + 1) % 3) : AllowedActions.ALL;
            float x = i % 7 - 3;
            double reward = (i % 3 == 1) == (x > 0) ? 1.0 : 0.0;
            dense.add(new LoggedExample(DenseVector.of(x, 0.0f), allowed, i % 3, 0.3, reward, 0));
            sparse.add(
                    new LoggedExample(
                            new SparseVector(2, new int[] {0}, new float[] {x}),
                            allowed,
                            i % 3,
                            0.3,
                            reward,
                            0));
        }
        DenseModel start =
                new DenseModel(
                        new float[][] {{1.0f, 2.0f}, {0.0f, 1.0f}, {-1.0f, 0.5f}}, new float[3]);
        for (LinearModel it : List.of(start, start.zeros())) {
            assertGreedyProbabilitiesAreServed(it, dense);
            assertGreedyProbabilitiesAreServed(it, sparse);
        }
    }

    private static void assertGreedyProbabilitiesAreServed(
            LinearModel start, List<LoggedExample> examples) {
        RewardModelLearner learner = start(start);
        double[] probabilities = new double[3];
        for (LoggedExample example : examples) {
            learner.learn(example);
            Policy served = Policy.softmax(learner.freeze(1.0));
            served.probabilities(example.features(), example.allowed(), probabilities);
            assertThat(learner.greedyProbability(example))
                    .isCloseTo(probabilities[example.action()], within(1e-6));
        }
    }

    @Test
    void aRestartAfterAnyExampleDoesNotChangeAnyBit() {
        HashedModel start = (HashedModel) startingPolicy(6);
        RewardModelLearner running = start(start);
        RewardModelLearner restarted = start(start);
        int freezes = 0;
        for (LoggedExample example : simulated(9_000, 6, 1.0f)) {
            running.learn(example);
            restarted.learn(example);
            if (running.examples() % FREEZE == 0) {
                assertThat(restarted.freeze(1.0)).isEqualTo(running.freeze(1.0));
                freezes++;
            }
            restarted = RewardModelLearner.restore(start, restarted.state());
        }
        assertThat(freezes).isGreaterThan(5);
        RewardModelState expected = running.state();
        assertThat(restarted.state().progress()).isEqualTo(expected.progress());
        assertThat(restarted.state()).usingRecursiveComparison().isEqualTo(expected);
    }

    private static LinearModel startingPolicy(int bits) {
        float[] weights = new float[1 << bits];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = 0.01f * i;
        }
        return new HashedModel(bits, weights);
    }

    @Test
    void aChallengerReplacesTheChampionAfterAFlip() {
        RewardModelLearner learner = start(HashedModel.zeros(2));
        EventRandom random = new EventRandom(3);
        run(learner, 60_000, 1, random);
        assertThat(learner.replacements()).isZero();
        assertThat(best(learner.model(1.0))).isEqualTo(1);

        run(learner, 10_000, 2, random);
        assertThat(learner.replacements()).isPositive();
        assertThat(best(learner.model(1.0))).isEqualTo(2);
    }

    /** The challenger that replaces the champion has not seen what was before it. */
    @Test
    void whatWasLearnedBeforeAFlipIsForgotten() {
        RewardModelLearner learner = start(HashedModel.zeros(2));
        EventRandom random = new EventRandom(3);
        learner.learn(example(row(2, new int[] {3}, 1.0f), 0, 1.0));
        run(learner, 60_000, 1, random);
        assertThat(FlatParameters.of(learner.model(1.0))[3]).isPositive();
        run(learner, 10_000, 2, random);
        assertThat(FlatParameters.of(learner.model(1.0))[3]).isZero();
        assertThat(learner.state().progress().meanExamples())
                .isLessThan(RewardModelLearner.CHALLENGER_EXAMPLES + 10_000L);
    }

    /** Uniform decisions between cells 1 and 2; one has rewards of 12 %, the other of 4 %. */
    private static void run(RewardModelLearner learner, int n, int good, EventRandom random) {
        for (int i = 0; i < n; i++) {
            int cell = 1 + random.nextInt(2);
            double rate = cell == good ? 0.12 : 0.04;
            double reward = random.nextDouble() < rate ? 1.0 : 0.0;
            learner.learn(example(row(2, new int[] {cell}, 1.0f), 0, reward));
            if (learner.examples() % FREEZE == 0) {
                Object unused = learner.freeze(1.0);
            }
        }
    }

    private static int best(LinearModel model) {
        float[] weights = FlatParameters.of(model);
        return weights[1] > weights[2] ? 1 : 2;
    }

    @Test
    void largePreferencesWidenThePrior() {
        RewardModelLearner learner = start(DenseModel.zeros(2, 2));
        for (int i = 0; i < 400; i++) {
            DenseVector x = i % 4 < 2 ? DenseVector.of(1.0f, 0.0f) : DenseVector.of(0.0f, 1.0f);
            learner.learn(example(x, i % 2, (i % 4 < 2) == (i % 2 == 0) ? 1.0 : 0.0));
        }
        Object unused = learner.freeze(1.0);
        assertThat(learner.state().progress().priorScore()).isEqualTo(4.0);
        assertThat(learner.replacements()).as("the world has not changed").isZero();
    }

    @Test
    void whatIsUntriedComesBeforeWhatIsAverage() {
        RewardModelLearner learner = start(DenseModel.zeros(3, 1));
        for (int i = 0; i < 2_000; i++) {
            learner.learn(example(DenseVector.of(1.0f), i % 2, i % 20 < 2 ? 1.0 : 0.0));
        }
        LoggedExample untried = example(DenseVector.of(1.0f), 2, 0.0);
        assertThat(learner.greedyProbability(untried)).isEqualTo(1.0);
    }

    @Test
    void aPolicyHasAllChangesSinceTheLastOne() {
        HashedModel start = (HashedModel) startingPolicy(6);
        for (LinearModel it : List.of(start, start.zeros())) {
            RewardModelLearner frozenOften = start(it);
            RewardModelLearner frozenOnce = start(it);
            for (LoggedExample example : simulated(500, 6, 1.0f)) {
                frozenOften.learn(example);
                frozenOnce.learn(example);
                Object unused = frozenOften.model(frozenOften.examples() % 50 == 0 ? 2.0 : 1.0);
            }
            assertThat(frozenOften.model(1.0)).isEqualTo(frozenOnce.model(1.0));
        }
    }

    @Test
    void extremeFeaturesGiveFiniteParameters() {
        for (double scale : new double[] {1e-30, 1e-18, 1e18, 1e30}) {
            float unit = (float) scale;
            RewardModelLearner learner = start(HashedModel.zeros(6));
            for (LoggedExample example : simulated(3_000, 6, unit)) {
                learner.learn(example);
            }
            Policy policy = Policy.softmax(learner.freeze(1.0));
            double[] probabilities = new double[3];
            for (LoggedExample example : simulated(10, 6, unit)) {
                policy.probabilities(example.features(), AllowedActions.ALL, probabilities);
                assertThat(probabilities[0] + probabilities[1] + probabilities[2])
                        .as("unit %s", unit)
                        .isCloseTo(1.0, within(1e-9));
            }
        }
    }

    @Test
    void refusesWhatDoesNotFitAndChangesNothing() {
        RewardModelLearner learner = start(DenseModel.zeros(2, 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> learner.learn(example(DenseVector.of(1.0f), 2, 1.0)))
                .withMessage("action must be below 2, got 2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> learner.learn(example(DenseVector.of(1.0f, 2.0f), 0, 1.0)));
        assertThat(learner.state().progress()).isEqualTo(RewardModelProgress.START);
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> RewardModelLearner.restore(DenseModel.zeros(3, 1), learner.state()))
                .withMessageContaining("has 6 parameters, got 4");
    }

    @Test
    void learningAllocatesNothing() {
        RewardModelLearner learner = start(startingPolicy(6));
        List<LoggedExample> examples = simulated(1_000, 6, 1.0f);
        examples.forEach(learner::learn);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < examples.size(); i++) {
            learner.learn(examples.get(i));
        }
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).isZero();
    }
}
