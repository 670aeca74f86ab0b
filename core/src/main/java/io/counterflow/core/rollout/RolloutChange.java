package io.counterflow.core.rollout;

import java.util.Optional;

/**
 * What happened to a loop's rollout, and why.
 *
 * @param sequence counts the changes of this loop from 1
 * @param kind what happened
 * @param rollout which versions decide from now on
 * @param reason why, in words
 * @param bounds what was known when it happened; empty if nothing had been judged
 */
public record RolloutChange(
        long sequence, Kind kind, Rollout rollout, String reason, Optional<GateBounds> bounds) {

    /** What can happen. */
    public enum Kind {
        /** The loop has begun, and its starting policy decides. */
        STARTED,
        /** A candidate is judged from now on; it may take the place of an older one. */
        CANDIDATE,
        /** A candidate decides a share of the events from now on. */
        CANARY,
        /** Another version is active: the prior of a new generation. */
        PROMOTED,
        /** A canary has lost its share; the active version stays. */
        CANARY_ENDED,
        /** The version before, or one that a person named, is active again: a new generation. */
        ROLLED_BACK,
        /** Automatic changes have stopped. */
        PAUSED,
        /** Automatic changes go on. */
        RESUMED,
        /** Nothing has changed: what a person asked cannot be done. */
        REFUSED,
        /** A new spec is in force. */
        SPEC_CHANGED,
        /** A new spec comes into force with the next generation. */
        SPEC_WAITS,
        /** A new spec cannot be had by this loop; the old one stays. */
        SPEC_REFUSED
    }

    /** Whether the logging policy is another one, so that learning has a new prior. */
    public boolean startsGeneration() {
        return kind == Kind.PROMOTED || kind == Kind.ROLLED_BACK;
    }
}
