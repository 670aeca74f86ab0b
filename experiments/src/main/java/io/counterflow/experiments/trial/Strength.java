package io.counterflow.experiments.trial;

import io.counterflow.core.numeric.Require;

/**
 * How strongly a method regularises.
 *
 * @param lambda its λ: of the distance to zero or to the prior, in POEM of the variance
 * @param varianceLambda of the variance in POEM-L2, which has both; otherwise 0
 */
public record Strength(double lambda, double varianceLambda) {

    public Strength {
        Require.finiteAtLeastZero(lambda, "lambda");
        Require.finiteAtLeastZero(varianceLambda, "varianceLambda");
    }

    public static Strength of(double lambda) {
        return new Strength(lambda, 0.0);
    }

    /** What a unit's key says of it besides λ. */
    public String setting() {
        return varianceLambda == 0.0 ? "" : "variance-lambda=" + varianceLambda;
    }
}
