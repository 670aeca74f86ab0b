package io.counterflow.core.estimate;

import io.counterflow.core.numeric.Require;
import java.util.OptionalDouble;

/**
 * Truncated inverse propensity scoring ({@code eq:clipped_emp_risk}): the mean of r π(a|x)/max(p,
 * τ), which is one minus the paper's truncated empirical risk.
 *
 * <p>τ floors the logged propensity; it does not cap the ratio π/p. Raising τ lowers the variance
 * and biases the estimate towards zero ({@code eq:clipped_emp_risk_lb_risk}). No term exceeds 1/τ.
 */
public final class TruncatedIps extends MeanEstimator<TruncatedIps> {

    private final double propensityFloor;

    /**
     * @param propensityFloor τ, in (0, 1]
     */
    public TruncatedIps(double propensityFloor) {
        this.propensityFloor = Require.propensityFloor(propensityFloor);
    }

    @Override
    double term(double targetProbability, double propensity, double reward) {
        return ImportanceWeight.truncated(targetProbability, propensity, propensityFloor) * reward;
    }

    @Override
    void requireSameSettings(TruncatedIps other) {
        requireEqual("propensityFloor", propensityFloor, other.propensityFloor);
    }

    @Override
    public OptionalDouble termRange() {
        return OptionalDouble.of(1.0 / propensityFloor);
    }
}
