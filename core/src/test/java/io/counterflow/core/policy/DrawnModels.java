package io.counterflow.core.policy;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.simulation.SimulatedLoop;
import java.util.stream.IntStream;

/** Models of both kinds with normal weights, and features that fit them. */
final class DrawnModels {

    static final int BITS = 5;

    private DrawnModels() {}

    static DenseModel dense(int actions, int dimension, double scale, long seed) {
        return SimulatedLoop.randomModel(actions, dimension, scale, seed);
    }

    static HashedModel hashed(double scale, EventRandom random) {
        float[] weights = new float[1 << BITS];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = (float) (scale * random.nextGaussian());
        }
        return new HashedModel(BITS, weights);
    }

    static DenseVector context(int dimension, EventRandom random) {
        float[] x = new float[dimension];
        for (int j = 0; j < dimension; j++) {
            x[j] = (float) (random.nextGaussian() / Math.sqrt(dimension));
        }
        return DenseVector.of(x);
    }

    /** Rows of four entries over so few indices that actions share many of them. */
    static ActionFeatures rows(int actions, EventRandom random) {
        int[] rowStarts = new int[actions + 1];
        int[] indices = new int[4 * actions];
        float[] values = new float[4 * actions];
        for (int i = 0; i < indices.length; i++) {
            rowStarts[i / 4 + 1] = i + 1;
            indices[i] = random.nextInt(1 << BITS);
            values[i] = (float) random.nextGaussian();
        }
        return ActionFeatures.of(BITS, rowStarts, indices, values);
    }

    /** About every third action excluded, but never all. */
    static AllowedActions allowed(int actions, EventRandom random) {
        int kept = random.nextInt(actions);
        return AllowedActions.allBut(
                IntStream.range(0, actions)
                        .filter(a -> random.nextInt(3) == 0 && a != kept)
                        .toArray());
    }

    static double[] probabilities(Policy policy, Features features) {
        return probabilities(policy, features, AllowedActions.ALL);
    }

    static double[] probabilities(Policy policy, Features features, AllowedActions allowed) {
        double[] probabilities = new double[policy.actionCount(features)];
        policy.probabilities(features, allowed, probabilities);
        return probabilities;
    }
}
