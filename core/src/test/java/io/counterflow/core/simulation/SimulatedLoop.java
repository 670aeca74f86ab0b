package io.counterflow.core.simulation;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Exponential;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.Policy;

/**
 * A simulated decision problem with known rewards.
 *
 * <p>Contexts are standard normal in R<sup>d</sup>; action a is rewarded with probability
 * 1/(1+exp(−(θ<sub>a</sub>·x + c<sub>a</sub>))), where θ and c are drawn from the seed.
 */
public final class SimulatedLoop {

    private final DenseModel truth;

    public SimulatedLoop(int actions, int dimension, long seed) {
        this.truth = randomModel(actions, dimension, 1.5, seed);
    }

    /** A model with normal weights and biases of this standard deviation. */
    public static DenseModel randomModel(int actions, int dimension, double scale, long seed) {
        EventRandom random = new EventRandom(seed);
        float[][] weights = new float[actions][dimension];
        float[] biases = new float[actions];
        for (int a = 0; a < actions; a++) {
            for (int j = 0; j < dimension; j++) {
                weights[a][j] = (float) (scale * random.nextGaussian());
            }
            biases[a] = (float) (scale * random.nextGaussian());
        }
        return new DenseModel(weights, biases);
    }

    public int actions() {
        return truth.actions();
    }

    public int dimension() {
        return truth.dimension();
    }

    /** The probability that action a is rewarded in context x. */
    public double rewardProbability(DenseVector x, int action) {
        double[] scores = new double[actions()];
        truth.scores(x, scores);
        return 1.0 / (1.0 + Exponential.exp(-scores[action]));
    }

    /** A context. */
    public DenseVector drawContext(EventRandom random) {
        float[] x = new float[dimension()];
        for (int j = 0; j < x.length; j++) {
            x[j] = (float) random.nextGaussian();
        }
        return DenseVector.owning(x);
    }

    /** A log of {@code logging} for n contexts, with exact propensities. */
    public ExampleLog log(Policy logging, int n, EventRandom random) {
        ExampleLog log = new ExampleLog();
        double[] probabilities = new double[actions()];
        for (int i = 0; i < n; i++) {
            DenseVector x = drawContext(random);
            logging.probabilities(x, AllowedActions.ALL, probabilities);
            int action = draw(probabilities, random);
            double reward = random.nextDouble() < rewardProbability(x, action) ? 1.0 : 0.0;
            log.add(new LoggedExample(x, action, probabilities[action], reward, 0));
        }
        return log;
    }

    /** The true value of a policy, averaged exactly over actions and over n drawn contexts. */
    public double value(Policy policy, int n, EventRandom random) {
        double sum = 0.0;
        double[] probabilities = new double[actions()];
        double[] scores = new double[actions()];
        for (int i = 0; i < n; i++) {
            DenseVector x = drawContext(random);
            policy.probabilities(x, AllowedActions.ALL, probabilities);
            truth.scores(x, scores);
            for (int a = 0; a < actions(); a++) {
                sum += probabilities[a] / (1.0 + Exponential.exp(-scores[a]));
            }
        }
        return sum / n;
    }

    private static int draw(double[] probabilities, EventRandom random) {
        double u = random.nextDouble();
        double cumulative = 0.0;
        int last = 0;
        for (int a = 0; a < probabilities.length; a++) {
            if (probabilities[a] > 0.0) {
                cumulative += probabilities[a];
                last = a;
                if (u < cumulative) {
                    return a;
                }
            }
        }
        return last;
    }
}
