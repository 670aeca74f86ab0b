package io.counterflow.core.learn;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The scores of {@link BatchProducts} with the JDK's vector module, which may be absent. No other
 * class uses its types.
 *
 * <p>Each lane belongs to an action. Weights are transposed once per batch; a weight is loaded once
 * for several contexts, and the sum of a score is computed within a lane. Products and sums are
 * rounded separately, without fused multiply-add, so the bits are the same as in plain code.
 */
final class VectorBatchProducts extends BatchProducts {

    /** At most eight lanes: few policies have enough actions for more. */
    private static final VectorSpecies<Float> SPECIES =
            FloatVector.SPECIES_PREFERRED.length() > 8
                    ? FloatVector.SPECIES_256
                    : FloatVector.SPECIES_PREFERRED;

    private static final int LANES = SPECIES.length();

    /** Actions whose scores are summed together: two vectors. */
    private static final int BLOCK = 2 * LANES;

    /**
     * Contexts whose scores are summed together. Always eight sums: with ten, the compiler spills
     * some to memory, at half the speed; with four, additions wait for each other.
     */
    private static final int ROWS_OF_TWO_VECTORS = 4;

    private static final int ROWS_OF_ONE_VECTOR = 8;

    /** Biases and weights of a block: those of coordinate j are at (j + 1) · BLOCK. */
    private final float[] turned;

    private final float[] sums = new float[ROWS_OF_ONE_VECTOR * BLOCK];

    VectorBatchProducts(int capacity, int dimension) {
        super(capacity);
        this.turned = new float[(dimension + 1) * BLOCK];
    }

    @Override
    void scores(
            float[][] contexts, int count, float[][] weights, float[] biases, float[][] scores) {
        for (int first = 0; first < weights.length; first += BLOCK) {
            int actions = Math.min(BLOCK, weights.length - first);
            turn(weights, biases, first, actions);
            int dimension = weights[first].length;
            int group = actions > LANES ? ROWS_OF_TWO_VECTORS : ROWS_OF_ONE_VECTOR;
            for (int i = 0; i < count; i += group) {
                if (actions > LANES) {
                    addTwoVectors(contexts, i, count, dimension, turned, sums);
                } else {
                    addOneVector(contexts, i, count, dimension, turned, sums);
                }
                int rows = Math.min(group, count - i);
                for (int k = 0; k < actions; k++) {
                    float[] to = scores[first + k];
                    for (int row = 0; row < rows; row++) {
                        to[i + row] = sums[row * BLOCK + k];
                    }
                }
            }
        }
    }

    private void turn(float[][] weights, float[] biases, int first, int actions) {
        System.arraycopy(biases, first, turned, 0, actions);
        int k = 0;
        for (; k + 5 <= actions; k += 5) {
            turnFive(weights, first + k, turned, k);
        }
        for (; k < actions; k++) {
            float[] w = weights[first + k];
            for (int j = 0; j < w.length; j++) {
                turned[j * BLOCK + BLOCK + k] = w[j];
            }
        }
    }

    /** Several at a time, because every coordinate is in another cache line. */
    private static void turnFive(float[][] weights, int from, float[] turned, int at) {
        float[] w0 = weights[from];
        float[] w1 = weights[from + 1];
        float[] w2 = weights[from + 2];
        float[] w3 = weights[from + 3];
        float[] w4 = weights[from + 4];
        for (int j = 0; j < w0.length; j++) {
            int to = j * BLOCK + BLOCK + at;
            turned[to] = w0[j];
            turned[to + 1] = w1[j];
            turned[to + 2] = w2[j];
            turned[to + 3] = w3[j];
            turned[to + 4] = w4[j];
        }
    }

    /** The context at this position, or the last one beyond the end. */
    private static float[] row(float[][] contexts, int i, int count) {
        return contexts[Math.min(i, count - 1)];
    }

    private static void addTwoVectors(
            float[][] contexts, int i, int count, int dimension, float[] turned, float[] sums) {
        float[] x0 = contexts[i];
        float[] x1 = row(contexts, i + 1, count);
        float[] x2 = row(contexts, i + 2, count);
        float[] x3 = row(contexts, i + 3, count);
        FloatVector a0 = FloatVector.fromArray(SPECIES, turned, 0);
        FloatVector b0 = FloatVector.fromArray(SPECIES, turned, LANES);
        FloatVector a1 = a0;
        FloatVector b1 = b0;
        FloatVector a2 = a0;
        FloatVector b2 = b0;
        FloatVector a3 = a0;
        FloatVector b3 = b0;
        for (int j = 0; j < dimension; j++) {
            FloatVector v = FloatVector.fromArray(SPECIES, turned, j * BLOCK + BLOCK);
            FloatVector w = FloatVector.fromArray(SPECIES, turned, j * BLOCK + BLOCK + LANES);
            FloatVector x = FloatVector.broadcast(SPECIES, x0[j]);
            a0 = a0.add(x.mul(v));
            b0 = b0.add(x.mul(w));
            x = FloatVector.broadcast(SPECIES, x1[j]);
            a1 = a1.add(x.mul(v));
            b1 = b1.add(x.mul(w));
            x = FloatVector.broadcast(SPECIES, x2[j]);
            a2 = a2.add(x.mul(v));
            b2 = b2.add(x.mul(w));
            x = FloatVector.broadcast(SPECIES, x3[j]);
            a3 = a3.add(x.mul(v));
            b3 = b3.add(x.mul(w));
        }
        a0.intoArray(sums, 0);
        b0.intoArray(sums, LANES);
        a1.intoArray(sums, BLOCK);
        b1.intoArray(sums, BLOCK + LANES);
        a2.intoArray(sums, 2 * BLOCK);
        b2.intoArray(sums, 2 * BLOCK + LANES);
        a3.intoArray(sums, 3 * BLOCK);
        b3.intoArray(sums, 3 * BLOCK + LANES);
    }

    /** For a block that fits in one vector. */
    private static void addOneVector(
            float[][] contexts, int i, int count, int dimension, float[] turned, float[] sums) {
        float[] x0 = contexts[i];
        float[] x1 = row(contexts, i + 1, count);
        float[] x2 = row(contexts, i + 2, count);
        float[] x3 = row(contexts, i + 3, count);
        float[] x4 = row(contexts, i + 4, count);
        float[] x5 = row(contexts, i + 5, count);
        float[] x6 = row(contexts, i + 6, count);
        float[] x7 = row(contexts, i + 7, count);
        FloatVector a0 = FloatVector.fromArray(SPECIES, turned, 0);
        FloatVector a1 = a0;
        FloatVector a2 = a0;
        FloatVector a3 = a0;
        FloatVector a4 = a0;
        FloatVector a5 = a0;
        FloatVector a6 = a0;
        FloatVector a7 = a0;
        for (int j = 0; j < dimension; j++) {
            FloatVector w = FloatVector.fromArray(SPECIES, turned, j * BLOCK + BLOCK);
            a0 = a0.add(FloatVector.broadcast(SPECIES, x0[j]).mul(w));
            a1 = a1.add(FloatVector.broadcast(SPECIES, x1[j]).mul(w));
            a2 = a2.add(FloatVector.broadcast(SPECIES, x2[j]).mul(w));
            a3 = a3.add(FloatVector.broadcast(SPECIES, x3[j]).mul(w));
            a4 = a4.add(FloatVector.broadcast(SPECIES, x4[j]).mul(w));
            a5 = a5.add(FloatVector.broadcast(SPECIES, x5[j]).mul(w));
            a6 = a6.add(FloatVector.broadcast(SPECIES, x6[j]).mul(w));
            a7 = a7.add(FloatVector.broadcast(SPECIES, x7[j]).mul(w));
        }
        a0.intoArray(sums, 0);
        a1.intoArray(sums, BLOCK);
        a2.intoArray(sums, 2 * BLOCK);
        a3.intoArray(sums, 3 * BLOCK);
        a4.intoArray(sums, 4 * BLOCK);
        a5.intoArray(sums, 5 * BLOCK);
        a6.intoArray(sums, 6 * BLOCK);
        a7.intoArray(sums, 7 * BLOCK);
    }
}
