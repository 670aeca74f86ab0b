package io.counterflow.core.learn;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The scores of {@link BatchProducts} with the JDK's vector module, which may be absent: nothing
 * else names its types.
 *
 * <p>A lane belongs to an action. Weights are turned on their side once per batch, contexts never;
 * a weight is loaded once for four contexts, and the sum of a score runs within a lane. Products
 * and sums are rounded apart, as in plain code: no fused multiply-add, so the bits are the same.
 */
final class VectorBatchProducts extends BatchProducts {

    /** At most eight lanes: few policies have actions to fill wider ones. */
    private static final VectorSpecies<Float> SPECIES =
            FloatVector.SPECIES_PREFERRED.length() > 8
                    ? FloatVector.SPECIES_256
                    : FloatVector.SPECIES_PREFERRED;

    private static final int LANES = SPECIES.length();

    /** Actions whose scores are summed together: two vectors. */
    private static final int BLOCK = 2 * LANES;

    /**
     * Contexts whose scores are summed together: eight sums, two weights and a context's coordinate
     * fit into sixteen registers. With ten sums the compiler keeps some in memory, at half the
     * speed.
     */
    private static final int ROWS = 4;

    /** Biases and weights of a block: those of coordinate j lie at (j + 1) · BLOCK. */
    private final float[] turned;

    private final float[] sums = new float[ROWS * BLOCK];

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
            for (int i = 0; i < count; i += ROWS) {
                addRows(contexts, i, count, actions);
                int rows = Math.min(ROWS, count - i);
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

    /** Several at a time, because every coordinate is another line of the cache. */
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

    /** Scores of the contexts from i on; where fewer are left, the last one stands in. */
    private void addRows(float[][] contexts, int i, int count, int actions) {
        float[] x0 = contexts[i];
        float[] x1 = contexts[Math.min(i + 1, count - 1)];
        float[] x2 = contexts[Math.min(i + 2, count - 1)];
        float[] x3 = contexts[Math.min(i + 3, count - 1)];
        if (actions > LANES) {
            addTwoVectors(x0, x1, x2, x3, turned, sums);
        } else {
            addOneVector(x0, x1, x2, x3, turned, sums);
        }
    }

    private static void addTwoVectors(
            float[] x0, float[] x1, float[] x2, float[] x3, float[] turned, float[] sums) {
        FloatVector a0 = FloatVector.fromArray(SPECIES, turned, 0);
        FloatVector b0 = FloatVector.fromArray(SPECIES, turned, LANES);
        FloatVector a1 = a0;
        FloatVector b1 = b0;
        FloatVector a2 = a0;
        FloatVector b2 = b0;
        FloatVector a3 = a0;
        FloatVector b3 = b0;
        int dimension = x0.length;
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

    /** For a block of which one vector is enough. */
    private static void addOneVector(
            float[] x0, float[] x1, float[] x2, float[] x3, float[] turned, float[] sums) {
        FloatVector a0 = FloatVector.fromArray(SPECIES, turned, 0);
        FloatVector a1 = a0;
        FloatVector a2 = a0;
        FloatVector a3 = a0;
        int dimension = x0.length;
        for (int j = 0; j < dimension; j++) {
            FloatVector w = FloatVector.fromArray(SPECIES, turned, j * BLOCK + BLOCK);
            a0 = a0.add(FloatVector.broadcast(SPECIES, x0[j]).mul(w));
            a1 = a1.add(FloatVector.broadcast(SPECIES, x1[j]).mul(w));
            a2 = a2.add(FloatVector.broadcast(SPECIES, x2[j]).mul(w));
            a3 = a3.add(FloatVector.broadcast(SPECIES, x3[j]).mul(w));
        }
        a0.intoArray(sums, 0);
        a1.intoArray(sums, BLOCK);
        a2.intoArray(sums, 2 * BLOCK);
        a3.intoArray(sums, 3 * BLOCK);
    }
}
