package io.counterflow.core.estimate;

/**
 * Four examples to compute by hand with τ = 0.2, where 1/τ = 5.
 *
 * <pre>
 *   π     p     r     w = π/p   π/max(p,τ)   min(w,5)
 *  0.5   0.25   1      2          2            2
 *  0.2   0.8    0.5    0.25       0.25         0.25
 *  0.9   0.1    0      9          4.5          5
 *  0.6   0.05   0.5   12          3            5
 * </pre>
 */
final class SmallLog {

    static final double FLOOR = 0.2;

    static final double[] TARGETS = {0.5, 0.2, 0.9, 0.6};
    static final double[] PROPENSITIES = {0.25, 0.8, 0.1, 0.05};
    static final double[] REWARDS = {1.0, 0.5, 0.0, 0.5};

    private SmallLog() {}

    static <E extends ValueEstimator<E>> E addedTo(E estimator) {
        for (int i = 0; i < TARGETS.length; i++) {
            estimator.add(TARGETS[i], PROPENSITIES[i], REWARDS[i]);
        }
        return estimator;
    }
}
