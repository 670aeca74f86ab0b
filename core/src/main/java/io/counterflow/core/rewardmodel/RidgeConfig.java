package io.counterflow.core.rewardmodel;

import io.counterflow.core.numeric.Require;

/**
 * How a reward model is fitted.
 *
 * @param strength α of the penalty α‖θ‖², biases included; above 0, so that there is one solution.
 *     A higher value gives smoother predictions
 * @param tolerance conjugate gradients stop when the residual is this fraction of the initial one,
 *     in (0, 1)
 * @param maxIterations maximum number of steps of conjugate gradients; stopping early acts as
 *     regularisation
 */
public record RidgeConfig(double strength, double tolerance, int maxIterations) {

    /** Sufficient for a reward model that only reduces variance. */
    public static final RidgeConfig DEFAULT = new RidgeConfig(1.0, 1e-6, 50);

    public RidgeConfig {
        if (!(strength > 0.0 && strength <= Require.MAX_TERM)) {
            throw new IllegalArgumentException("strength must be in (0, 1e100], got " + strength);
        }
        if (!(tolerance > 0.0 && tolerance < 1.0)) {
            throw new IllegalArgumentException("tolerance must be in (0, 1), got " + tolerance);
        }
        Require.atLeast(1, maxIterations, "maxIterations");
    }
}
