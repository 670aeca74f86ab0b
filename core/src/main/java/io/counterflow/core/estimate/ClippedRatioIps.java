package io.counterflow.core.estimate;

import io.counterflow.core.numeric.Require;
import java.util.OptionalDouble;

/**
 * Inverse propensity scoring with a capped ratio (the remark {@code rem:clipping}): the mean of r
 * min(π(a|x)/p, 1/τ).
 *
 * <p>Never below {@link TruncatedIps} with the same τ, because min(π/p, 1/τ) ≥ π/max(p, τ), and
 * therefore less biased. The paper's analysis does not cover it, because the minimum depends on the
 * policy.
 */
final class ClippedRatioIps extends MeanEstimator<ClippedRatioIps> {

    private final double propensityFloor;

    /**
     * @param propensityFloor τ, in (0, 1]: one over the largest ratio
     */
    public ClippedRatioIps(double propensityFloor) {
        this.propensityFloor = Require.propensityFloor(propensityFloor);
    }

    @Override
    double term(double targetProbability, double propensity, double reward) {
        return ImportanceWeight.clipped(targetProbability, propensity, propensityFloor) * reward;
    }

    @Override
    void requireSameSettings(ClippedRatioIps other) {
        requireEqual("propensityFloor", propensityFloor, other.propensityFloor);
    }

    @Override
    public OptionalDouble termRange() {
        return OptionalDouble.of(1.0 / propensityFloor);
    }
}
