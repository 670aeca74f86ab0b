package io.counterflow.core.rewardmodel;

import io.counterflow.core.numeric.Require;

/**
 * How a reward model is fitted.
 *
 * @param strength α of the penalty α‖θ‖², biases included; above 0, so that there is one solution.
 *     Higher: smoother predictions
 * @param tolerance conjugate gradients, which solve what is too large or too sparse for a matrix,
 *     stop when the residual is this part of what it was, in (0, 1)
 * @param maxIterations or after so many steps, which then acts as regularisation as well
 */
public record RidgeConfig(double strength, double tolerance, int maxIterations) {

    /** Enough for a reward model whose only task is to lower variance. */
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
