package io.counterflow.core.learn;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The scores of {@link BatchProducts} with the JDK's vector module, which may be absent: nothing
 * else names its types.
 *
 * <p>Contexts are taken in groups of two vectors and turned on their side, so that a lane belongs
 * to a context and the sum of a score runs within a lane. Products and sums are rounded apart, as
 * in plain code: no fused multiply-add, so the bits are the same.
 */
final class VectorBatchProducts extends BatchProducts {

    private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
    private static final int LANES = SPECIES.length();

    /** Contexts in a group. */
    private static final int GROUP = 2 * LANES;

    /** Actions whose scores stay in registers together: ten sums, two contexts, one weight. */
    private static final int BLOCK = 5;

    /** Coordinate j of all contexts of a group lies at j · GROUP. */
    private final float[] turned;

    private final float[] sums = new float[BLOCK * GROUP];
    private final float[] absent;

    VectorBatchProducts(int capacity, int dimension) {
        super(capacity);
        this.turned = new float[dimension * GROUP];
        this.absent = new float[dimension];
    }

    @Override
    void scores(
            float[][] contexts, int count, float[][] weights, float[] biases, float[][] scores) {
        for (int first = 0; first < count; first += GROUP) {
            int size = Math.min(GROUP, count - first);
            turn(contexts, first, size);
            int k = 0;
            for (; k + BLOCK <= weights.length; k += BLOCK) {
                addFive(turned, weights, biases, k, sums);
                for (int b = 0; b < BLOCK; b++) {
                    System.arraycopy(sums, b * GROUP, scores[k + b], first, size);
                }
            }
            for (; k < weights.length; k++) {
                addOne(turned, weights[k], biases[k], sums);
                System.arraycopy(sums, 0, scores[k], first, size);
            }
        }
    }

    /** Four contexts at a time: each is read from end to end, as memory likes it. */
    private void turn(float[][] contexts, int first, int size) {
        for (int i = 0; i < GROUP; i += 4) {
            turnFour(
                    i < size ? contexts[first + i] : absent,
                    i + 1 < size ? contexts[first + i + 1] : absent,
                    i + 2 < size ? contexts[first + i + 2] : absent,
                    i + 3 < size ? contexts[first + i + 3] : absent,
                    turned,
                    i,
                    absent.length);
        }
    }

    private static void turnFour(
            float[] x0, float[] x1, float[] x2, float[] x3, float[] turned, int at, int length) {
        for (int j = 0; j < length; j++) {
            int to = j * GROUP + at;
            turned[to] = x0[j];
            turned[to + 1] = x1[j];
            turned[to + 2] = x2[j];
            turned[to + 3] = x3[j];
        }
    }

    /** Scores of five actions for a group, from their biases on. */
    private static void addFive(
            float[] turned, float[][] weights, float[] biases, int k, float[] sums) {
        float[] w0 = weights[k];
        float[] w1 = weights[k + 1];
        float[] w2 = weights[k + 2];
        float[] w3 = weights[k + 3];
        float[] w4 = weights[k + 4];
        FloatVector a0 = FloatVector.broadcast(SPECIES, biases[k]);
        FloatVector a1 = FloatVector.broadcast(SPECIES, biases[k + 1]);
        FloatVector a2 = FloatVector.broadcast(SPECIES, biases[k + 2]);
        FloatVector a3 = FloatVector.broadcast(SPECIES, biases[k + 3]);
        FloatVector a4 = FloatVector.broadcast(SPECIES, biases[k + 4]);
        FloatVector b0 = a0;
        FloatVector b1 = a1;
        FloatVector b2 = a2;
        FloatVector b3 = a3;
        FloatVector b4 = a4;
        int dimension = w0.length;
        for (int j = 0; j < dimension; j++) {
            FloatVector x = FloatVector.fromArray(SPECIES, turned, j * GROUP);
            FloatVector y = FloatVector.fromArray(SPECIES, turned, j * GROUP + LANES);
            FloatVector w = FloatVector.broadcast(SPECIES, w0[j]);
            a0 = a0.add(x.mul(w));
            b0 = b0.add(y.mul(w));
            w = FloatVector.broadcast(SPECIES, w1[j]);
            a1 = a1.add(x.mul(w));
            b1 = b1.add(y.mul(w));
            w = FloatVector.broadcast(SPECIES, w2[j]);
            a2 = a2.add(x.mul(w));
            b2 = b2.add(y.mul(w));
            w = FloatVector.broadcast(SPECIES, w3[j]);
            a3 = a3.add(x.mul(w));
            b3 = b3.add(y.mul(w));
            w = FloatVector.broadcast(SPECIES, w4[j]);
            a4 = a4.add(x.mul(w));
            b4 = b4.add(y.mul(w));
        }
        a0.intoArray(sums, 0);
        b0.intoArray(sums, LANES);
        a1.intoArray(sums, GROUP);
        b1.intoArray(sums, GROUP + LANES);
        a2.intoArray(sums, 2 * GROUP);
        b2.intoArray(sums, 2 * GROUP + LANES);
        a3.intoArray(sums, 3 * GROUP);
        b3.intoArray(sums, 3 * GROUP + LANES);
        a4.intoArray(sums, 4 * GROUP);
        b4.intoArray(sums, 4 * GROUP + LANES);
    }

    private static void addOne(float[] turned, float[] weights, float bias, float[] sums) {
        FloatVector a = FloatVector.broadcast(SPECIES, bias);
        FloatVector b = a;
        for (int j = 0; j < weights.length; j++) {
            FloatVector w = FloatVector.broadcast(SPECIES, weights[j]);
            a = a.add(FloatVector.fromArray(SPECIES, turned, j * GROUP).mul(w));
            b = b.add(FloatVector.fromArray(SPECIES, turned, j * GROUP + LANES).mul(w));
        }
        a.intoArray(sums, 0);
        b.intoArray(sums, LANES);
    }
}
