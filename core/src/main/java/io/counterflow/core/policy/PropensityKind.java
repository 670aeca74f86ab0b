package io.counterflow.core.policy;

/** What a logged propensity is. Stored by name. */
public enum PropensityKind {
    /** The probability with which the action was drawn. */
    EXACT,
    /** A Monte Carlo estimate of that probability. */
    ESTIMATED,
    /**
     * A number that the probability does not exceed; dividing by it undervalues, never flatters.
     */
    UPPER_BOUND,
    /** The answer of a model that was fitted to logged actions. */
    LEARNED
}
