package io.counterflow.core.loop;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;

/**
 * What an example must look like to be learned from: features and an action that the model knows,
 * and features within reach. Checking allocates nothing.
 *
 * @param model the loop's model, of which only the shape matters
 */
record ExampleShape(LinearModel model) {

    /** Longer features could lead out of the range of a float and take the whole loop along. */
    private static final double LARGEST_NORM = 1e15;

    void require(LoggedExample example) {
        Features features = example.features();
        double squaredNorm;
        if (model instanceof HashedModel hashed) {
            squaredNorm = squaredNorm(hashedFeatures(hashed, features));
        } else {
            squaredNorm = context((DenseModel) model, features).squaredNorm();
        }
        int actions = model.actionCount(features);
        if (example.action() >= actions) {
            throw new IllegalArgumentException(
                    "action must be below %d, got %d".formatted(actions, example.action()));
        }
        if (!(squaredNorm <= LARGEST_NORM * LARGEST_NORM)) {
            throw new IllegalArgumentException(
                    "the norm of the features must be at most " + LARGEST_NORM);
        }
    }

    private static ActionFeatures hashedFeatures(HashedModel model, Features features) {
        if (features instanceof ActionFeatures phi && phi.bits() == model.bits()) {
            return phi;
        }
        throw new IllegalArgumentException(
                "features must be those of actions, hashed to %d bits, got %s"
                        .formatted(
                                model.bits(),
                                features instanceof ActionFeatures phi
                                        ? phi.bits() + " bits"
                                        : "a context vector"));
    }

    private static FeatureVector context(DenseModel model, Features features) {
        if (features instanceof FeatureVector x && x.dimension() == model.dimension()) {
            return x;
        }
        throw new IllegalArgumentException(
                "features must be a context vector of %d coordinates, got %s"
                        .formatted(
                                model.dimension(),
                                features instanceof FeatureVector x
                                        ? x.dimension()
                                        : "features of actions"));
    }

    /** ‖φ‖² over the entries of all actions together, which is at least that of any of them. */
    private static double squaredNorm(ActionFeatures phi) {
        double sum = 0.0;
        int end = phi.rowStart(phi.actions());
        for (int entry = 0; entry < end; entry++) {
            double value = phi.value(entry);
            sum += value * value;
        }
        return sum;
    }
}
