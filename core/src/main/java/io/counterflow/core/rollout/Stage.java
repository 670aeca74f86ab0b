package io.counterflow.core.rollout;

/** How much traffic the newest version has. */
public enum Stage {
    /** None: a candidate is compared on events of the active version. */
    SHADOW,
    /** A share: the candidate decides some of the events. */
    CANARY,
    /** All: the active version decides every event, and there is no candidate. */
    FULL,
    /** None any more: the previous version decides every event again. */
    ROLLED_BACK
}
