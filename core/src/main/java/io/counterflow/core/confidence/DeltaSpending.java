package io.counterflow.core.confidence;

import io.counterflow.core.numeric.Require;

/**
 * Divides one δ among an unlimited number of candidates: δ<sub>j</sub> = 6δ/(π² j²) for j = 1, 2,
 * …, which add up to δ.
 *
 * @param delta probability with which any of the decisions may be wrong, in (0, 1)
 */
public record DeltaSpending(double delta) {

    public DeltaSpending {
        Require.delta(delta);
    }

    /** δ<sub>j</sub> of the j-th candidate, from 1. */
    public double share(long candidate) {
        Require.atLeast(1, candidate, "candidate");
        double j = candidate;
        return 6.0 * delta / (Math.PI * Math.PI) / j / j;
    }
}
