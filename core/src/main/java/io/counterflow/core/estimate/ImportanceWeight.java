package io.counterflow.core.estimate;

import io.counterflow.core.numeric.Require;

/**
 * The importance weight w = π(a|x)/p of a logged action, and two ways to limit it.
 *
 * <p>A propensity below 1e-100 counts as 1e-100, so that squares of weights stay finite; such rare
 * actions are never drawn. A target probability that is slightly above 1 because of rounding counts
 * as 1.
 */
public final class ImportanceWeight {

    private static final double MIN_PROPENSITY = 1.0 / Require.MAX_TERM;
    private static final double ROUNDING = 1e-9;

    private ImportanceWeight() {}

    /** π/p. */
    public static double of(double targetProbability, double propensity) {
        return target(targetProbability) / Math.max(Require.propensity(propensity), MIN_PROPENSITY);
    }

    /** π/max(p, τ) of {@code eq:clipped_emp_risk}: the propensity is floored, at most 1/τ. */
    public static double truncated(
            double targetProbability, double propensity, double propensityFloor) {
        double floored = Math.max(Require.propensity(propensity), propensityFloor);
        return target(targetProbability) / Math.max(floored, MIN_PROPENSITY);
    }

    /** min(π/p, 1/τ) of the remark {@code rem:clipping}: the ratio is capped. */
    public static double clipped(
            double targetProbability, double propensity, double propensityFloor) {
        return Math.min(of(targetProbability, propensity), 1.0 / propensityFloor);
    }

    /** Refuses invalid probabilities, for estimators that use no weight. */
    static void check(double targetProbability, double propensity) {
        target(targetProbability);
        Require.propensity(propensity);
    }

    private static double target(double probability) {
        if (!(probability >= 0.0 && probability <= 1.0 + ROUNDING)) {
            throw new IllegalArgumentException(
                    "targetProbability must be in [0, 1], got " + probability);
        }
        return Math.min(probability, 1.0);
    }
}
