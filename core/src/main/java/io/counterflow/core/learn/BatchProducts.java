package io.counterflow.core.learn;

import java.util.Arrays;

/**
 * The two matrix products of a mini-batch: the scores of many contexts, and the sum of their
 * gradients.
 *
 * <p>A score is b<sub>k</sub> + x<sub>0</sub> w<sub>k,0</sub> + x<sub>1</sub> w<sub>k,1</sub> + …,
 * added in this order; a gradient adds its rows in their order. Different scores and different
 * coordinates of a gradient are independent, so several are computed in parallel without changing
 * any bit: parallel operations always belong to different sums.
 */
class BatchProducts {

    private static final String VECTOR_MODULE = "jdk.incubator.vector";

    /** Terms that one pass over a row of sums adds. */
    private static final int TERMS = 4;

    /** Some coordinates of all contexts of the batch, one coordinate per row. */
    private final float[][] tile;

    BatchProducts(int capacity) {
        this.tile = new float[TERMS][capacity];
    }

    /**
     * The fastest implementation for this JVM, for up to {@code capacity} contexts: with the vector
     * module if it is present ({@code --add-modules jdk.incubator.vector}). The bits are the same.
     */
    static BatchProducts ofThisMachine(int capacity, int dimension) {
        if (ModuleLayer.boot().findModule(VECTOR_MODULE).isEmpty()) {
            return new BatchProducts(capacity);
        }
        try {
            // Loaded by name: the class is compiled separately, and needs the module.
            return Class.forName(BatchProducts.class.getPackageName() + ".VectorBatchProducts")
                    .asSubclass(BatchProducts.class)
                    .getDeclaredConstructor(int.class, int.class)
                    .newInstance(capacity, dimension);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the vector products are not on the class path", e);
        }
    }

    /**
     * Computes scores.
     *
     * @param contexts the first {@code count} are used. Not modified.
     * @param scores a row for each action, as long as the capacity. The first {@code count} of each
     *     are overwritten.
     */
    void scores(
            float[][] contexts, int count, float[][] weights, float[] biases, float[][] scores) {
        int dimension = weights[0].length;
        for (int k = 0; k < weights.length; k++) {
            Arrays.fill(scores[k], 0, count, biases[k]);
        }
        int j = 0;
        for (; j + TERMS <= dimension; j += TERMS) {
            turn(contexts, count, j);
            for (int k = 0; k < weights.length; k++) {
                float[] w = weights[k];
                add(scores[k], tile, 0, w[j], w[j + 1], w[j + 2], w[j + 3], count);
            }
        }
        for (; j < dimension; j++) {
            for (int i = 0; i < count; i++) {
                tile[0][i] = contexts[i][j];
            }
            for (int k = 0; k < weights.length; k++) {
                add(scores[k], tile[0], weights[k][j], count);
            }
        }
    }

    private void turn(float[][] contexts, int count, int j) {
        float[] t0 = tile[0];
        float[] t1 = tile[1];
        float[] t2 = tile[2];
        float[] t3 = tile[3];
        for (int i = 0; i < count; i++) {
            float[] x = contexts[i];
            t0[i] = x[j];
            t1[i] = x[j + 1];
            t2[i] = x[j + 2];
            t3[i] = x[j + 3];
        }
    }

    /**
     * Adds Σ<sub>i</sub> errors<sub>k,i</sub> x<sub>i</sub> to the gradient of each action k.
     *
     * @param errors a row for each action. Not modified.
     * @param gradient a row for each action. Added to.
     */
    void addGradient(float[][] contexts, int count, float[][] errors, float[][] gradient) {
        int dimension = gradient[0].length;
        int i = 0;
        for (; i + TERMS <= count; i += TERMS) {
            for (int k = 0; k < gradient.length; k++) {
                float[] e = errors[k];
                add(gradient[k], contexts, i, e[i], e[i + 1], e[i + 2], e[i + 3], dimension);
            }
        }
        for (; i < count; i++) {
            for (int k = 0; k < gradient.length; k++) {
                add(gradient[k], contexts[i], errors[k][i], dimension);
            }
        }
    }

    /** sums ← (((sums + f0 x0) + f1 x1) + f2 x2) + f3 x3, for the four vectors at {@code from}. */
    private static void add(
            float[] sums,
            float[][] vectors,
            int from,
            float f0,
            float f1,
            float f2,
            float f3,
            int length) {
        float[] x0 = vectors[from];
        float[] x1 = vectors[from + 1];
        float[] x2 = vectors[from + 2];
        float[] x3 = vectors[from + 3];
        for (int j = 0; j < length; j++) {
            sums[j] = sums[j] + f0 * x0[j] + f1 * x1[j] + f2 * x2[j] + f3 * x3[j];
        }
    }

    private static void add(float[] sums, float[] vector, float factor, int length) {
        for (int j = 0; j < length; j++) {
            sums[j] += factor * vector[j];
        }
    }
}
