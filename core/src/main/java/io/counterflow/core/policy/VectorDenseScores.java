package io.counterflow.core.policy;

import io.counterflow.core.features.DenseVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The scores with the JDK's vector module, which may be absent. No other class of the package uses
 * its types.
 *
 * <p>Each lane belongs to an action, so the sum of a score is computed within a lane, in order.
 * Weights are transposed once. Products and sums are rounded separately, without fused
 * multiply-add, so the bits are the same as in plain code.
 */
final class VectorDenseScores extends DenseScores {

    private static final VectorSpecies<Float> SPECIES =
            FloatVector.SPECIES_PREFERRED.length() > 8
                    ? FloatVector.SPECIES_256
                    : FloatVector.SPECIES_PREFERRED;

    private static final int LANES = SPECIES.length();

    /** Actions whose scores are summed together: two vectors. */
    private static final int BLOCK = 2 * LANES;

    private final int actions;

    /** By block: biases, then the weights of each coordinate. */
    private final float[][] turned;

    VectorDenseScores(float[][] weights, float[] biases) {
        super(weights, biases);
        this.actions = weights.length;
        this.turned = new float[(actions + BLOCK - 1) / BLOCK][];
        int dimension = weights[0].length;
        for (int block = 0; block < turned.length; block++) {
            turned[block] = new float[(dimension + 1) * BLOCK];
            for (int k = 0; k < Math.min(BLOCK, actions - block * BLOCK); k++) {
                turned[block][k] = biases[block * BLOCK + k];
                float[] w = weights[block * BLOCK + k];
                for (int j = 0; j < dimension; j++) {
                    turned[block][(j + 1) * BLOCK + k] = w[j];
                }
            }
        }
    }

    @Override
    void scores(DenseVector x, double[] scores) {
        float[] values = x.values();
        for (int block = 0; block < turned.length; block++) {
            int first = block * BLOCK;
            if (actions - first > LANES) {
                twoVectors(values, turned[block], scores, first);
            } else {
                oneVector(values, turned[block], scores, first);
            }
        }
    }

    private void twoVectors(float[] x, float[] turned, double[] scores, int first) {
        FloatVector a = FloatVector.fromArray(SPECIES, turned, 0);
        FloatVector b = FloatVector.fromArray(SPECIES, turned, LANES);
        for (int j = 0; j < x.length; j++) {
            FloatVector xj = FloatVector.broadcast(SPECIES, x[j]);
            int at = j * BLOCK + BLOCK;
            a = a.add(xj.mul(FloatVector.fromArray(SPECIES, turned, at)));
            b = b.add(xj.mul(FloatVector.fromArray(SPECIES, turned, at + LANES)));
        }
        put(a, scores, first);
        put(b, scores, first + LANES);
    }

    private void oneVector(float[] x, float[] turned, double[] scores, int first) {
        FloatVector a = FloatVector.fromArray(SPECIES, turned, 0);
        for (int j = 0; j < x.length; j++) {
            FloatVector w = FloatVector.fromArray(SPECIES, turned, j * BLOCK + BLOCK);
            a = a.add(FloatVector.broadcast(SPECIES, x[j]).mul(w));
        }
        put(a, scores, first);
    }

    /** Adds 0, which turns −0 into 0, as in {@link DenseVector#dot}. */
    private void put(FloatVector sums, double[] scores, int first) {
        int count = Math.min(LANES, actions - first);
        for (int k = 0; k < count; k++) {
            scores[first + k] = sums.lane(k) + 0.0f;
        }
    }
}
