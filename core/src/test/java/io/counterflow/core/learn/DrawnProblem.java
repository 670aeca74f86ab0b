package io.counterflow.core.learn;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import java.util.stream.IntStream;

/**
 * A small log, two models and a rule drawn from a seed, with every φ(x, a) written out in doubles,
 * so that objectives can be computed by their definition. Some logs have exclusions; some rules
 * have an inverse temperature other than 1, some a floor.
 */
final class DrawnProblem {

    private static final int BITS = 4;

    final long seed;
    final boolean dense;
    final ExampleLog log = new ExampleLog();
    final LinearModel start;
    final LinearModel prior;
    final DecisionRule rule;

    /** φ of every example and action, over weights and then biases. */
    final double[][][] phi;

    final int weights;
    final int parameters;

    DrawnProblem(long seed, boolean dense) {
        this.seed = seed;
        this.dense = dense;
        EventRandom random = new EventRandom(seed);
        EventRandom restrictions = new EventRandom(~seed);
        double beta = restrictions.nextInt(3) == 0 ? 1.0 : 0.3 + 2.7 * restrictions.nextDouble();
        double floor = restrictions.nextInt(3) == 0 ? 0.0 : restrictions.nextDouble();
        this.rule = DecisionRule.softmax(beta, floor);
        boolean exclusions = restrictions.nextInt(3) > 0;
        int n = 2 + random.nextInt(20);
        int actions = 1 + random.nextInt(5);
        int dimension = 1 + random.nextInt(7);
        this.weights = dense ? actions * dimension : 1 << BITS;
        this.parameters = dense ? weights + actions : weights;
        this.phi = new double[n][][];
        for (int i = 0; i < n; i++) {
            int count = dense ? actions : 1 + random.nextInt(5);
            Features features =
                    dense ? drawContext(random, dimension) : drawActionFeatures(random, count);
            phi[i] = new double[count][];
            for (int a = 0; a < count; a++) {
                phi[i][a] = writtenOut(features, a, dimension);
            }
            double reward = random.nextDouble() < 0.3 ? 0.0 : random.nextDouble();
            double propensity =
                    random.nextDouble() < 0.2 ? 1e-3 : 0.05 + 0.95 * random.nextDouble();
            int action = random.nextInt(count);
            AllowedActions allowed =
                    exclusions ? drawAllowed(restrictions, count, action) : AllowedActions.ALL;
            log.add(new LoggedExample(features, allowed, action, propensity, reward, 0));
        }
        this.start = drawModel(random, actions, dimension);
        this.prior = drawModel(random, actions, dimension);
    }

    /** Half of the sets are of all actions, the others exclude about half of them. */
    static AllowedActions drawAllowed(EventRandom random, int actions, int chosen) {
        if (random.nextInt(2) == 0) {
            return AllowedActions.ALL;
        }
        return AllowedActions.allBut(
                IntStream.range(0, actions)
                        .filter(a -> a != chosen && random.nextInt(2) == 0)
                        .toArray());
    }

    private static DenseVector drawContext(EventRandom random, int dimension) {
        float[] x = new float[dimension];
        for (int j = 0; j < dimension; j++) {
            x[j] = (float) random.nextGaussian();
        }
        return DenseVector.owning(x);
    }

    private static ActionFeatures drawActionFeatures(EventRandom random, int actions) {
        int perAction = 3; // indices may repeat: hashes do
        int[] starts = new int[actions + 1];
        int[] indices = new int[actions * perAction];
        float[] values = new float[actions * perAction];
        for (int a = 0; a < actions; a++) {
            starts[a + 1] = (a + 1) * perAction;
        }
        for (int i = 0; i < indices.length; i++) {
            indices[i] = random.nextInt(1 << BITS);
            values[i] = (float) random.nextGaussian();
        }
        return ActionFeatures.of(BITS, starts, indices, values);
    }

    private LinearModel drawModel(EventRandom random, int actions, int dimension) {
        if (!dense) {
            float[] w = new float[1 << BITS];
            for (int i = 0; i < w.length; i++) {
                w[i] = (float) (0.5 * random.nextGaussian());
            }
            return new HashedModel(BITS, w);
        }
        float[][] w = new float[actions][dimension];
        float[] b = new float[actions];
        for (int a = 0; a < actions; a++) {
            b[a] = (float) (0.5 * random.nextGaussian());
            for (int j = 0; j < dimension; j++) {
                w[a][j] = (float) (0.5 * random.nextGaussian());
            }
        }
        return new DenseModel(w, b);
    }

    private double[] writtenOut(Features features, int action, int dimension) {
        double[] row = new double[parameters];
        if (features instanceof FeatureVector x) {
            float[] values = x.toArray();
            for (int j = 0; j < dimension; j++) {
                row[action * dimension + j] = values[j];
            }
            row[weights + action] = 1.0;
        } else {
            ActionFeatures all = (ActionFeatures) features;
            for (int e = all.rowStart(action); e < all.rowStart(action + 1); e++) {
                row[all.index(e)] += all.value(e);
            }
        }
        return row;
    }

    /** All parameters of a model: weights, then biases. */
    double[] flatten(LinearModel model) {
        double[] flat = new double[parameters];
        if (model instanceof HashedModel hashed) {
            for (int i = 0; i < flat.length; i++) {
                flat[i] = hashed.weight(i);
            }
            return flat;
        }
        DenseModel blocks = (DenseModel) model;
        int at = 0;
        for (int a = 0; a < blocks.actions(); a++) {
            for (float w : blocks.weights(a)) {
                flat[at++] = w;
            }
        }
        for (float b : blocks.biases()) {
            flat[at++] = b;
        }
        return flat;
    }

    /** ln of the softmax of the logged action of example i, by definition. */
    double logProbability(double[] theta, int i) {
        double beta = rule.inverseTemperature();
        double sum = 0.0;
        for (int a = 0; a < phi[i].length; a++) {
            if (log.allowed(i).contains(a)) {
                sum += StrictMath.exp(beta * dot(theta, phi[i][a]));
            }
        }
        return beta * dot(theta, phi[i][log.action(i)]) - StrictMath.log(sum);
    }

    /** 1 − ε. */
    double share() {
        return rule.softmaxShare();
    }

    /** ‖θ − centre‖² over the weights. */
    double squaredDistance(double[] theta, double[] centre) {
        double sum = 0.0;
        for (int p = 0; p < weights; p++) {
            sum += (theta[p] - centre[p]) * (theta[p] - centre[p]);
        }
        return sum;
    }

    private static double dot(double[] a, double[] b) {
        double sum = 0.0;
        for (int p = 0; p < a.length; p++) {
            sum += a[p] * b[p];
        }
        return sum;
    }

    @Override
    public String toString() {
        return "%s problem of seed %d, beta %.2f, floor %.2f, %s"
                .formatted(
                        dense ? "dense" : "hashed",
                        seed,
                        rule.inverseTemperature(),
                        rule.explorationFloor(),
                        log.hasExclusions() ? "with exclusions" : "without exclusions");
    }
}
