package io.counterflow.core.rollout;

import java.util.Optional;

/**
 * A change of the rollout of a loop, with its reason.
 *
 * @param sequence number of this change within the loop, starting with 1
 * @param kind what happened
 * @param rollout the rollout after the change
 * @param reason the reason
 * @param bounds the bounds at the time of the change; empty if there was no comparison
 */
public record RolloutChange(
        long sequence, Kind kind, Rollout rollout, String reason, Optional<GateBounds> bounds) {

    /** Kinds of changes. */
    public enum Kind {
        /** The loop has started, and its starting policy decides. */
        STARTED,
        /**
         * A candidate is compared with the active version from now on; it may replace an older one.
         */
        CANDIDATE,
        /** A person has registered a candidate, which is compared as well from now on. */
        REGISTERED,
        /** A registered candidate is no longer compared. */
        WITHDRAWN,
        /** The bounds of a running comparison; nothing has changed. */
        COMPARED,
        /** The gate makes no decisions until propensities can be trusted again. */
        GATE_CLOSED,
        /** Propensities are correct again, and comparisons have started again. */
        GATE_OPENED,
        /** A candidate decides a share of the events from now on. */
        CANARY,
        /** Another version is active: the prior of a new generation. */
        PROMOTED,
        /** A canary has lost its share; the active version stays. */
        CANARY_ENDED,
        /** The previous version, or a requested one, is active again: a new generation. */
        ROLLED_BACK,
        /** Automatic changes have stopped. */
        PAUSED,
        /** Automatic changes have resumed. */
        RESUMED,
        /** A command was refused; nothing has changed. */
        REFUSED,
        /** A new spec has taken effect. */
        SPEC_CHANGED,
        /** A new spec takes effect with the next generation. */
        SPEC_WAITS,
        /** A new spec was refused; the old one is still in effect. */
        SPEC_REFUSED,
        /** The loop failed on an event and takes no more events; the active version stays. */
        QUARANTINED
    }

    /** Whether the logging policy changes, so that learning has a new prior. */
    public boolean startsGeneration() {
        return kind == Kind.PROMOTED || kind == Kind.ROLLED_BACK;
    }
}
