package io.counterflow.experiments.trial;

import io.counterflow.core.numeric.Require;

/**
 * Strength of the regularisers of a method.
 *
 * @param lambda λ of the distance to zero or to the prior; in POEM, λ of the variance
 * @param varianceLambda λ of the variance in POEM-L2, which has both; otherwise 0
 */
public record Strength(double lambda, double varianceLambda) {

    /** The strength of a method that is not trained. */
    public static final Strength NONE = new Strength(0.0, 0.0);

    public Strength {
        Require.finiteAtLeastZero(lambda, "lambda");
        Require.finiteAtLeastZero(varianceLambda, "varianceLambda");
    }

    public static Strength of(double lambda) {
        return new Strength(lambda, 0.0);
    }

    /** The part of a unit's key for this strength, without λ. */
    public String setting() {
        return varianceLambda == 0.0 ? "" : "variance-lambda=" + varianceLambda;
    }
}
