package io.counterflow.core.learn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.ExampleLoss;
import io.counterflow.core.objective.Objectives;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.LinearModel;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Steps over mini-batches in which some actions were not allowed. */
final class ExclusionsTest {

    private static final double RATE = 0.3;
    private static final double SMOOTHING = 1.0;
    private static final double STRENGTH = 0.02;
    private static final AdaGrad OPTIMIZER = new AdaGrad(RATE, SMOOTHING);
    private static final ExampleLoss LOSS =
            Objectives.ipsLpr(0.1, STRENGTH).fixedLoss().orElseThrow();

    static LongStream seeds() {
        return LongStream.range(0, 30);
    }

    static Stream<DrawnProblem> problems() {
        return IntStream.range(0, 60)
                .boxed()
                .flatMap(
                        seed ->
                                Stream.of(
                                        new DrawnProblem(seed, true),
                                        new DrawnProblem(seed, false)))
                .filter(problem -> problem.log.hasExclusions());
    }

    /** Mini-batches of up to 7 in which contexts of all kinds and sets of all kinds are mixed. */
    @ParameterizedTest
    @MethodSource("problems")
    void stepsAreThoseOfASimpleReference(DrawnProblem problem) {
        ExampleLog log = problem.dense ? withSparseContexts(problem.log) : problem.log;
        int n = log.size();
        int[] order = order(n);
        double[] coefficients = coefficients(log);
        double beta = problem.rule.inverseTemperature();
        Learner learner = Learner.start(problem.start, problem.prior, STRENGTH, beta, OPTIMIZER, 7);
        double[] theta = problem.flatten(problem.start);
        double[] centre = problem.flatten(problem.prior);
        double[] squares = new double[theta.length];
        for (int from = 0; from < n; from += 7) {
            int to = Math.min(from + 7, n);
            learner.step(log, coefficients, LOSS, order, from, to);
            referenceStep(problem, theta, centre, squares, from, to);
        }
        assertThat(problem.flatten(learner.model())).containsExactly(theta, within(2e-5));
    }

    /** One AdaGrad step on the mean of −r π(a|x)/max(p, τ) plus the regulariser, in doubles. */
    private static void referenceStep(
            DrawnProblem problem,
            double[] theta,
            double[] centre,
            double[] squares,
            int from,
            int to) {
        double[] gradient = new double[theta.length];
        double beta = problem.rule.inverseTemperature();
        for (int i = from; i < to; i++) {
            double[][] phi = problem.phi[i];
            int action = problem.log.action(i);
            AllowedActions allowed = problem.log.allowed(i);
            double[] e = new double[phi.length];
            double sum = 0.0;
            for (int a = 0; a < phi.length; a++) {
                double score = 0.0;
                for (int p = 0; p < theta.length; p++) {
                    score += theta[p] * phi[a][p];
                }
                e[a] = allowed.contains(a) ? StrictMath.exp(beta * score) : 0.0;
                sum += e[a];
            }
            double weight =
                    problem.log.reward(i)
                            / Math.max(0.1, problem.log.propensity(i))
                            * e[action]
                            / sum
                            / (to - from);
            for (int a = 0; a < phi.length; a++) {
                double error = -weight * beta * ((a == action ? 1.0 : 0.0) - e[a] / sum);
                for (int p = 0; p < theta.length; p++) {
                    gradient[p] += error * phi[a][p];
                }
            }
        }
        for (int p = 0; p < theta.length; p++) {
            boolean bias = p >= problem.weights;
            double g = gradient[p] + (bias ? 0.0 : 2.0 * STRENGTH * (theta[p] - centre[p]));
            squares[p] += g * g;
            theta[p] -= RATE * g / (Math.sqrt(squares[p]) + SMOOTHING);
        }
    }

    /** Every third context as a sparse vector, so that some batches go around the kernels. */
    private static ExampleLog withSparseContexts(ExampleLog log) {
        ExampleLog mixed = new ExampleLog();
        for (int i = 0; i < log.size(); i++) {
            LoggedExample e = log.example(i);
            Features x = i % 9 == 3 ? sparse((DenseVector) e.features()) : e.features();
            mixed.add(new LoggedExample(x, e.allowed(), e.action(), e.propensity(), e.reward(), 0));
        }
        return mixed;
    }

    private static SparseVector sparse(DenseVector x) {
        return new SparseVector(
                x.dimension(), IntStream.range(0, x.dimension()).toArray(), x.toArray());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void allowingAllExplicitlyTrainsToTheSameBits(long seed) {
        for (boolean dense : new boolean[] {true, false}) {
            DrawnProblem problem = new DrawnProblem(seed, dense);
            ExampleLog implicit = new ExampleLog();
            ExampleLog explicit = new ExampleLog();
            for (int i = 0; i < problem.log.size(); i++) {
                LoggedExample e = problem.log.example(i);
                implicit.add(
                        new LoggedExample(e.features(), e.action(), e.propensity(), e.reward(), 0));
                explicit.add(
                        new LoggedExample(
                                e.features(),
                                AllowedActions.ALL,
                                e.action(),
                                e.propensity(),
                                e.reward(),
                                0));
            }
            assertThat(implicit.hasExclusions()).isFalse();
            assertThat(explicit.hasExclusions()).isFalse();
            PolicyTrainer trainer =
                    new PolicyTrainer(
                            Objectives.ipsLpr(0.1, 0.01),
                            new TrainerConfig(3, 5, OPTIMIZER, seed, TrainerConfig.Start.PRIOR));
            assertThat(trainer.train(explicit, problem.prior, epoch -> {}))
                    .as("%s", problem)
                    .isEqualTo(trainer.train(implicit, problem.prior, epoch -> {}));
        }
    }

    /** Only the examples of the other mini-batch differ between the two logs. */
    @ParameterizedTest
    @MethodSource("seeds")
    void exclusionsInOtherMiniBatchesChangeNoBits(long seed) {
        EventRandom random = new EventRandom(seed);
        int actions = 2 + random.nextInt(4);
        ExampleLog plain = new ExampleLog();
        ExampleLog restricted = new ExampleLog();
        for (int i = 0; i < 20; i++) {
            DenseVector x =
                    DenseVector.of(
                            (float) random.nextGaussian(),
                            (float) random.nextGaussian(),
                            (float) random.nextGaussian());
            int action = random.nextInt(actions);
            double reward = random.nextDouble();
            AllowedActions allowed =
                    i < 10 ? AllowedActions.ALL : AllowedActions.allBut((action + 1) % actions);
            plain.add(new LoggedExample(x, action, 0.5, reward, 0));
            restricted.add(new LoggedExample(x, allowed, action, 0.5, reward, 0));
        }
        assertThat(plain.hasExclusions()).isFalse();
        assertThat(restricted.hasExclusions()).isTrue();
        DenseModel start = DenseModel.zeros(actions, 3);
        Learner ofPlain = Learner.start(start, start, STRENGTH, 1.0, OPTIMIZER, 10);
        Learner ofRestricted = Learner.start(start, start, STRENGTH, 1.0, OPTIMIZER, 10);
        for (int repetition = 0; repetition < 3; repetition++) {
            ofPlain.step(plain, coefficients(plain), LOSS, order(20), 0, 10);
            ofRestricted.step(restricted, coefficients(restricted), LOSS, order(20), 0, 10);
        }
        assertThat(ofRestricted.model()).isEqualTo(ofPlain.model());
        assertThat(ofRestricted.squaredGradientSum()).containsExactly(ofPlain.squaredGradientSum());
        ofPlain.step(plain, coefficients(plain), LOSS, order(20), 10, 20);
        ofRestricted.step(restricted, coefficients(restricted), LOSS, order(20), 10, 20);
        assertThat(ofRestricted.model()).as("the other batch").isNotEqualTo(ofPlain.model());
    }

    @ParameterizedTest
    @MethodSource("problems")
    void logProbabilitiesAreThoseAmongTheAllowedActions(DrawnProblem problem) {
        Learner learner =
                Learner.start(
                        problem.start,
                        problem.prior,
                        0.0,
                        problem.rule.inverseTemperature(),
                        OPTIMIZER,
                        4);
        double[] actual = new double[problem.log.size()];
        learner.logProbabilities(problem.log, actual);
        double[] theta = problem.flatten(problem.start);
        for (int i = 0; i < actual.length; i++) {
            assertThat(actual[i])
                    .as("example %d", i)
                    .isCloseTo(problem.logProbability(theta, i), within(2e-5));
        }
    }

    @Test
    void anActionThatIsNeverAllowedStaysWhereItIs() {
        EventRandom random = new EventRandom(6);
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < 30; i++) {
            DenseVector x =
                    DenseVector.of((float) random.nextGaussian(), (float) random.nextGaussian());
            log.add(
                    new LoggedExample(
                            x,
                            AllowedActions.allBut(1),
                            2 * random.nextInt(2),
                            0.5,
                            random.nextDouble(),
                            0));
        }
        DenseModel start =
                new DenseModel(new float[][] {{1, 2}, {3, 4}, {5, 6}}, new float[] {7, 8, 9});
        Learner learner = Learner.start(start, start, STRENGTH, 1.0, OPTIMIZER, 30);
        learner.step(log, coefficients(log), LOSS, order(30), 0, 30);
        DenseModel learned = (DenseModel) learner.model();
        assertThat(learned.weights(1)).containsExactly(3, 4);
        assertThat(learned.biases()[1]).isEqualTo(8);
        assertThat(learned.weights(0)).isNotEqualTo(start.weights(0));
        assertThat(learned.weights(2)).isNotEqualTo(start.weights(2));
    }

    /** At an inverse temperature of 0 every policy is the same, so nothing but λ moves it. */
    @Test
    void atInverseTemperatureZeroTheDataHaveNoGradient() {
        for (boolean dense : new boolean[] {true, false}) {
            DrawnProblem problem = new DrawnProblem(3, dense);
            LinearModel start = problem.start;
            int n = problem.log.size();
            Learner learner = Learner.start(start, start, STRENGTH, 0.0, OPTIMIZER, n);
            learner.step(problem.log, coefficients(problem.log), LOSS, order(n), 0, n);
            assertThat(learner.model()).isEqualTo(start);
        }
    }

    private static int[] order(int n) {
        return IntStream.range(0, n).toArray();
    }

    private static double[] coefficients(ExampleLog log) {
        double[] coefficients = new double[log.size()];
        Arrays.setAll(coefficients, i -> LOSS.coefficient(log.propensity(i), log.reward(i)));
        return coefficients;
    }
}
