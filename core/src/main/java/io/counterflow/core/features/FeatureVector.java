package io.counterflow.core.features;

/**
 * A context x in R<sup>d</sup>. With a fixed list of actions, φ(x, a) is x in block a.
 *
 * <p>Sums run over the coordinates in ascending order and in float, so the dense and the sparse
 * form of a vector give the same bits.
 */
public sealed interface FeatureVector extends Features permits DenseVector, SparseVector {

    /** d. */
    int dimension();

    /** start + Σ x<sub>j</sub> w<sub>j</sub>. {@code weights} is not modified. */
    float dot(float[] weights, float start);

    /**
     * The same for each of several rows of weights, with the same bits.
     *
     * @param starts one for each row. Not modified.
     * @param products one for each row. Overwritten.
     */
    default void dots(float[][] weights, float[] starts, double[] products) {
        for (int row = 0; row < weights.length; row++) {
            products[row] = dot(weights[row], starts[row]);
        }
    }

    /** Adds {@code factor} · x to {@code target}. */
    void addTo(float factor, float[] target);

    /** The values of all coordinates, as a new array. */
    float[] toArray();

    /** ‖x‖². */
    double squaredNorm();

    @Override
    FeatureVector boundedBy(double normBound);

    @Override
    default double maxSquaredNorm() {
        return squaredNorm();
    }
}
