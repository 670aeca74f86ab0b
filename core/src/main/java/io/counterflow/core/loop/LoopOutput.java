package io.counterflow.core.loop;

import io.counterflow.core.rollout.RolloutChange;

/** Receives the candidates and rollout changes of a loop, in order. */
public interface LoopOutput {

    void frozen(Candidate candidate);

    /** Something happened to the rollout. */
    void changed(RolloutChange change);
}
