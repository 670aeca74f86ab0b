package io.counterflow.core.policy;

import io.counterflow.core.numeric.Require;
import java.util.OptionalDouble;

/**
 * What a version of a policy has learned.
 *
 * @param model mean parameters
 * @param variance variance of the posterior around them; empty if there is none
 * @param fromRewardModel whether a loop has learned them with its reward model
 */
public record VersionParameters(
        LinearModel model, OptionalDouble variance, boolean fromRewardModel) {

    public VersionParameters {
        variance.ifPresent(value -> Require.finiteAboveZero(value, "variance"));
    }

    /** Parameters that do not come from a reward model. */
    public VersionParameters(LinearModel model, OptionalDouble variance) {
        this(model, variance, false);
    }

    /** Parameters without a variance. */
    public static VersionParameters of(LinearModel model) {
        return new VersionParameters(model, OptionalDouble.empty());
    }
}
