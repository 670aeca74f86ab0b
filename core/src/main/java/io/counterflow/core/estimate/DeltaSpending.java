package io.counterflow.core.estimate;

/**
 * Shares one δ among candidates without end: δ<sub>j</sub> = 6δ/(π² j²) for j = 1, 2, …, which add
 * up to δ.
 *
 * @param delta how often any of all decisions may be wrong, in (0, 1)
 */
public record DeltaSpending(double delta) {

    public DeltaSpending {
        Arguments.delta(delta);
    }

    /** δ<sub>j</sub> of the j-th candidate, from 1. */
    public double share(long candidate) {
        if (candidate < 1) {
            throw new IllegalArgumentException("candidate must be at least 1, got " + candidate);
        }
        double j = candidate;
        return 6.0 * delta / (Math.PI * Math.PI) / j / j;
    }
}
