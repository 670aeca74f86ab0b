package io.counterflow.core.policy;

/** How actions are drawn from scores. Stored by name. */
public enum PolicyKind {
    /** Softmax of the mean parameters; its probabilities are exact. */
    SOFTMAX,
    /** Mixed logit: parameters drawn from the posterior; its probabilities have no closed form. */
    MIXED_LOGIT
}
