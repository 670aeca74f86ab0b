package io.counterflow.core.learn;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Softmax;
import io.counterflow.core.objective.Objectives;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.simulation.SimulatedLoop;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that float is precise enough for weights: training with doubles on the same shuffles must
 * give the same policy.
 */
final class FloatPrecisionTest {

    private static final int ACTIONS = 10;
    private static final int DIMENSION = 100;
    private static final int EXAMPLES = 2_000;
    private static final int EPOCHS = 100;
    private static final int BATCH = 100;
    private static final double RATE = 0.1;
    private static final double SMOOTHING = 1.0;
    private static final double FLOOR = 0.01;
    private static final double LAMBDA = 1e-4;
    private static final long SEED = 7;

    private static final DenseModel LOGGING =
            SimulatedLoop.randomModel(ACTIONS, DIMENSION, 0.05, 99);

    /** No probability of an action in a new context may differ by more than this. */
    private static final double TOLERANCE = 1e-4;

    @ParameterizedTest
    @ValueSource(strings = {"ips-lpr", "wnll-lpr"})
    void aPolicyTrainedInFloatsIsTheOneTrainedInDoubles(String name) {
        SimulatedLoop loop = new SimulatedLoop(ACTIONS, DIMENSION, 1);
        ExampleLog log = loop.log(Policy.softmax(LOGGING), EXAMPLES, new EventRandom(5));
        boolean logarithm = name.equals("wnll-lpr");
        Policy floats =
                Policy.softmax(
                        new PolicyTrainer(
                                        logarithm
                                                ? Objectives.wnllLpr(FLOOR, LAMBDA)
                                                : Objectives.ipsLpr(FLOOR, LAMBDA),
                                        new TrainerConfig(
                                                EPOCHS,
                                                BATCH,
                                                new AdaGrad(RATE, SMOOTHING),
                                                SEED,
                                                TrainerConfig.Start.PRIOR))
                                .train(log, LOGGING, epoch -> {})
                                .model());
        double[][] doubles = trainInDoubles(log, logarithm);

        EventRandom random = new EventRandom(8);
        double[] actual = new double[ACTIONS];
        double largest = 0.0;
        double moved = 0.0;
        for (int i = 0; i < 1_000; i++) {
            DenseVector x = loop.drawContext(random);
            double[] expected = probabilities(doubles, x.values());
            double[] before = new double[ACTIONS];
            floats.probabilities(x, AllowedActions.ALL, actual);
            Policy.softmax(LOGGING).probabilities(x, AllowedActions.ALL, before);
            for (int k = 0; k < ACTIONS; k++) {
                largest = Math.max(largest, Math.abs(actual[k] - expected[k]));
                moved = Math.max(moved, Math.abs(before[k] - expected[k]));
            }
        }
        assertThat(moved).as("training changed the policy").isGreaterThan(0.9);
        assertThat(largest).as("largest difference of a probability").isLessThan(TOLERANCE);
    }

    /** Weights and, behind them, the bias of each action; straight from the definitions. */
    private static double[][] trainInDoubles(ExampleLog log, boolean logarithm) {
        double[][] prior = new double[ACTIONS][DIMENSION + 1];
        double[][] theta = new double[ACTIONS][DIMENSION + 1];
        for (int k = 0; k < ACTIONS; k++) {
            for (int j = 0; j <= DIMENSION; j++) {
                prior[k][j] = j < DIMENSION ? LOGGING.weights(k)[j] : LOGGING.biases()[k];
                theta[k][j] = prior[k][j];
            }
        }
        double[][] squares = new double[ACTIONS][DIMENSION + 1];
        int[] order = new int[log.size()];
        for (int i = 0; i < order.length; i++) {
            order[i] = i;
        }
        EventRandom random = new EventRandom(SEED);
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            for (int i = order.length - 1; i > 0; i--) {
                int j = random.nextInt(i + 1);
                int swapped = order[i];
                order[i] = order[j];
                order[j] = swapped;
            }
            for (int from = 0; from < order.length; from += BATCH) {
                int to = Math.min(from + BATCH, order.length);
                step(theta, gradient(theta, prior, log, order, from, to, logarithm), squares);
            }
        }
        return theta;
    }

    private static double[][] gradient(
            double[][] theta,
            double[][] prior,
            ExampleLog log,
            int[] order,
            int from,
            int to,
            boolean logarithm) {
        double[][] gradient = new double[ACTIONS][DIMENSION + 1];
        for (int i = from; i < to; i++) {
            int example = order[i];
            float[] x = ((DenseVector) log.features(example)).values();
            double[] pi = probabilities(theta, x);
            int action = log.action(example);
            double weight = log.reward(example) / Math.max(log.propensity(example), FLOOR);
            double slope = -weight * (logarithm ? 1.0 : pi[action]) / (to - from);
            for (int k = 0; k < ACTIONS; k++) {
                double error = slope * ((k == action ? 1.0 : 0.0) - pi[k]);
                for (int j = 0; j < DIMENSION; j++) {
                    gradient[k][j] += error * x[j];
                }
                gradient[k][DIMENSION] += error;
            }
        }
        for (int k = 0; k < ACTIONS; k++) {
            for (int j = 0; j < DIMENSION; j++) {
                gradient[k][j] += 2.0 * LAMBDA * (theta[k][j] - prior[k][j]);
            }
        }
        return gradient;
    }

    private static void step(double[][] theta, double[][] gradient, double[][] squares) {
        for (int k = 0; k < ACTIONS; k++) {
            for (int j = 0; j <= DIMENSION; j++) {
                double g = gradient[k][j];
                squares[k][j] += g * g;
                theta[k][j] -= RATE * g / (Math.sqrt(squares[k][j]) + SMOOTHING);
            }
        }
    }

    private static double[] probabilities(double[][] theta, float[] x) {
        double[] scores = new double[ACTIONS];
        for (int k = 0; k < ACTIONS; k++) {
            double sum = theta[k][DIMENSION];
            for (int j = 0; j < DIMENSION; j++) {
                sum += theta[k][j] * x[j];
            }
            scores[k] = sum;
        }
        Softmax.inPlace(scores, ACTIONS);
        return scores;
    }
}
