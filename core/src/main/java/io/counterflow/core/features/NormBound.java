package io.counterflow.core.features;

import io.counterflow.core.numeric.Require;

/**
 * The bound B on ‖φ(x, a)‖ that the theory needs. It is measured or enforced, never assumed.
 *
 * <p>A measured bound holds only for the features on which it was measured. A statement about
 * future contexts needs the bound to be enforced when they are served: longer vectors are scaled
 * down to length B.
 *
 * @param value B, finite and at least 0
 */
public record NormBound(double value) {

    public NormBound {
        Require.finiteAtLeastZero(value, "norm bound");
    }

    /**
     * The largest ‖φ‖ over some features, 0 if there are none. Rounded up, so that enforcing the
     * bound does not change those features.
     */
    public static NormBound measured(Iterable<? extends Features> features) {
        double largest = 0.0;
        for (Features x : features) {
            largest = Math.max(largest, x.maxSquaredNorm());
        }
        return new NormBound(Norms.rootRoundedUp(largest));
    }
}
