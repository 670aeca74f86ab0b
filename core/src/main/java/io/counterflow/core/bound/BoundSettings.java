package io.counterflow.core.bound;

import io.counterflow.core.numeric.Require;
import java.util.OptionalDouble;

/**
 * Settings of the bounds of a policy.
 *
 * @param propensityFloor τ
 * @param floorFromData whether τ was chosen by looking at the data; then theorem 1 does not apply
 * @param delta probability with which the bounds may fail
 * @param priorVariance σ₀²
 * @param variance σ² in (0, σ₀²]; empty for the variance that the paper derives as optimal
 * @param priorStrength λ with which the prior was learned from the same log; empty if the prior was
 *     fixed before the log
 * @param normBound B that is enforced on all features; empty if there is none
 */
public record BoundSettings(
        double propensityFloor,
        boolean floorFromData,
        double delta,
        double priorVariance,
        OptionalDouble variance,
        OptionalDouble priorStrength,
        OptionalDouble normBound) {

    public BoundSettings {
        Require.propensityFloor(propensityFloor);
        Require.delta(delta);
        Require.finiteAboveZero(priorVariance, "priorVariance");
        if (variance.isPresent()
                && !(variance.getAsDouble() > 0.0 && variance.getAsDouble() <= priorVariance)) {
            throw new IllegalArgumentException(
                    "variance must be in (0, priorVariance] = (0, %s], got %s"
                            .formatted(priorVariance, variance.getAsDouble()));
        }
        if (priorStrength.isPresent()) {
            Require.finiteAboveZero(priorStrength.getAsDouble(), "priorStrength");
        }
        normBound.ifPresent(bound -> Require.finiteAboveZero(bound, "normBound"));
    }
}
