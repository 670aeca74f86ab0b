package io.counterflow.core.policy;

/** The kind of a logged propensity. Stored by name. */
public enum PropensityKind {
    /** The probability with which the action was drawn. */
    EXACT,
    /** A Monte Carlo estimate of that probability. */
    ESTIMATED,
    /** An upper bound on the probability; estimates that divide by it are never too high. */
    UPPER_BOUND,
    /** The prediction of a model that was fitted to logged actions. */
    LEARNED
}
