package io.counterflow.experiments.worlds;

import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.spec.LoopSpec;
import java.util.Optional;

/**
 * A stream of requests with a known truth. The requests do not depend on the decisions, so all
 * learners get the same ones.
 */
interface World {

    /** The shape of a loop for it; all other settings have their defaults. */
    LoopSpec.Builder spec();

    /** The next request. */
    Request next();

    /** The starting policy; empty for the uniform one. */
    default Optional<LinearModel> start() {
        return Optional.empty();
    }

    /** Number of events between a decision and its reward. */
    default int delay() {
        return 0;
    }

    /** Share of the rewards that are lost. */
    default double missing() {
        return 0.0;
    }
}
