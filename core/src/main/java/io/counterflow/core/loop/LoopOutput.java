package io.counterflow.core.loop;

import io.counterflow.core.rollout.RolloutChange;

/** Receives the candidates and rollout changes of a loop, and what it forgets, in order. */
public interface LoopOutput {

    void frozen(Candidate candidate);

    /** Something happened to the rollout. */
    void changed(RolloutChange change);

    /**
     * The parameters of a version are no longer stored, so it can never decide again. It is not
     * part of the rollout.
     */
    default void forgotten(long version) {
        // Only those who publish versions have something to remove.
    }
}
