package io.counterflow.core.features;

/**
 * The bound B on ‖φ(x, a)‖ that the theory asks for; measured or enforced, never assumed.
 *
 * <p>Measured, it holds for the features it was measured on and says nothing about those still to
 * come. A statement about future contexts needs the same bound enforced on them, as they are
 * served: longer vectors are scaled down to length B.
 *
 * @param value B, finite and at least 0
 */
public record NormBound(double value) {

    public NormBound {
        if (!(value >= 0.0 && value <= Double.MAX_VALUE)) {
            throw new IllegalArgumentException(
                    "norm bound must be finite and at least 0, got " + value);
        }
    }

    /**
     * The largest ‖φ‖ over some features, 0 if there are none. Rounded up, so that enforcing it
     * leaves those features as they are.
     */
    public static NormBound measured(Iterable<? extends Features> features) {
        double largest = 0.0;
        for (Features x : features) {
            largest = Math.max(largest, x.maxSquaredNorm());
        }
        return new NormBound(Norms.rootRoundedUp(largest));
    }

    /** The features with every vector longer than B scaled down to it. */
    public Features enforce(Features features) {
        return features.boundedBy(value);
    }

    /** Whether no vector of these features is longer than B. */
    public boolean holdsFor(Features features) {
        return features.within(value);
    }

    /** B². */
    public double squared() {
        return value * value;
    }
}
