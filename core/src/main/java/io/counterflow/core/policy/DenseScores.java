package io.counterflow.core.policy;

import io.counterflow.core.features.DenseVector;

/**
 * Computes the scores of all actions for one dense context: b<sub>k</sub> + x<sub>0</sub>
 * w<sub>k,0</sub> + x<sub>1</sub> w<sub>k,1</sub> + …, added in this order, in float.
 */
class DenseScores {

    private static final String VECTOR_MODULE = "jdk.incubator.vector";

    private final float[][] weights;
    private final float[] biases;

    /**
     * @param weights not copied
     * @param biases not copied
     */
    DenseScores(float[][] weights, float[] biases) {
        this.weights = weights;
        this.biases = biases;
    }

    /**
     * The fastest implementation for this JVM: with the vector module if it is present. The bits
     * are the same.
     */
    static DenseScores ofThisMachine(float[][] weights, float[] biases) {
        if (ModuleLayer.boot().findModule(VECTOR_MODULE).isEmpty()) {
            return new DenseScores(weights, biases);
        }
        try {
            // Loaded by name: the class is compiled separately, and needs the module.
            return Class.forName(DenseScores.class.getPackageName() + ".VectorDenseScores")
                    .asSubclass(DenseScores.class)
                    .getDeclaredConstructor(float[][].class, float[].class)
                    .newInstance(weights, biases);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the vector scores are not on the class path", e);
        }
    }

    /**
     * Computes the scores.
     *
     * @param scores one for each action. Overwritten.
     */
    void scores(DenseVector x, double[] scores) {
        x.dots(weights, biases, scores);
    }
}
