package io.counterflow.core.features;

/**
 * What one decision is taken on.
 *
 * <p>Either a {@link FeatureVector} of the context, for a loop with a fixed list of actions, or
 * {@link ActionFeatures}, which has a vector for every action of this request.
 */
public sealed interface Features permits FeatureVector, ActionFeatures {

    /** The largest ‖φ‖² over the vectors in here. The theory's B² bounds it from above. */
    double maxSquaredNorm();

    /** Whether no vector in here is longer than {@code norm}. */
    default boolean within(double norm) {
        return maxSquaredNorm() <= norm * norm;
    }

    /** Bytes that the numbers in here take in memory, without objects' headers. */
    long bytes();

    /** The same features with every vector longer than {@code normBound} scaled down to it. */
    Features boundedBy(double normBound);
}
