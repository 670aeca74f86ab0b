package io.counterflow.schemas;

/** How a logged propensity relates to the probability with which the action was drawn. */
public enum PropensityKind {
    /** The probability itself. */
    EXACT,
    /** A Monte Carlo estimate of it. */
    ESTIMATED,
    /** The upper bound of the mixed logit lemma ({@code lem:mixed_logit_mean_bounds}). */
    UPPER_BOUND,
    /** Computed from a logging policy that was itself learned from the log. */
    LEARNED
}
