package io.counterflow.core.bound;

/**
 * An upper bound on a risk, with its parts: {@code empiricalRisk + squareRootTerm + linearTerm}.
 *
 * <p>All bounds of the paper have the form R̂ + √((R̂ + s) β) + β, where β = c (divergence +
 * confidenceTerm)/(n − 1). They divide by n − 1: for a single example, and for a divergence beyond
 * the range of a double, both terms are +∞ and the bound is vacuous.
 *
 * @param empiricalRisk R̂, the estimate that the bound is about; may be negative under truncation
 * @param divergence the cost of the distance from the prior: the KL divergence, or Γ, which bounds
 *     twice the KL divergence
 * @param confidenceTerm the cost of δ, in the same units
 * @param squareRootTerm √((R̂ + s) β)
 * @param linearTerm β
 */
public record RiskBound(
        double empiricalRisk,
        double divergence,
        double confidenceTerm,
        double squareRootTerm,
        double linearTerm) {

    /**
     * @param slack s, which makes R̂ + s the scaled loss, at least zero
     * @param scale c
     */
    static RiskBound of(
            double empiricalRisk,
            double slack,
            double divergence,
            double confidenceTerm,
            double scale,
            long examples) {
        double numerator = divergence + confidenceTerm;
        if (examples == 1 || numerator > Double.MAX_VALUE) {
            return new RiskBound(
                    empiricalRisk,
                    divergence,
                    confidenceTerm,
                    Double.POSITIVE_INFINITY,
                    Double.POSITIVE_INFINITY);
        }
        double linear = scale / (examples - 1) * numerator;
        // Rounding may make the smallest possible risk slightly less than −s.
        double root = Math.sqrt(Math.max(0.0, empiricalRisk + slack)) * Math.sqrt(linear);
        return new RiskBound(empiricalRisk, divergence, confidenceTerm, root, linear);
    }

    /** The bound. */
    public double total() {
        return empiricalRisk + squareRootTerm + linearTerm;
    }

    /** Whether the bound is vacuous: every risk is at most one. */
    public boolean vacuous() {
        return !(total() < 1.0);
    }

    /** 1 − total: a lower bound on the policy's value. */
    public double valueLowerBound() {
        return 1.0 - total();
    }
}
