package io.counterflow.core.loop;

import io.counterflow.core.rollout.RolloutChange;

/** What comes out of a loop besides its numbers, in the order in which it happens. */
public interface LoopOutput {

    /** A candidate was frozen. */
    void frozen(Candidate candidate);

    /** Something happened to the rollout. */
    void changed(RolloutChange change);
}
