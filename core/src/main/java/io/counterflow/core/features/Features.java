package io.counterflow.core.features;

/**
 * The features on which a decision is based.
 *
 * <p>Either a {@link FeatureVector} of the context, for a loop with a fixed list of actions, or
 * {@link ActionFeatures}, which has a vector for every action of this request.
 */
public sealed interface Features permits FeatureVector, ActionFeatures {

    /** The largest ‖φ‖² of the vectors. B² of the theory is an upper bound on it. */
    double maxSquaredNorm();

    /** Whether no vector is longer than {@code norm}. */
    default boolean within(double norm) {
        return maxSquaredNorm() <= norm * norm;
    }

    /** The size of the numbers in memory in bytes, without object headers. */
    long bytes();

    /** The same features with every vector longer than {@code normBound} scaled down to it. */
    Features boundedBy(double normBound);
}
