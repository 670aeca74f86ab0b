package io.counterflow.experiments.worlds;

import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.Split;
import java.util.Optional;

/**
 * A decision of an agent.
 *
 * @param version version of the active policy; 0 for agents without versions
 * @param split the versions that share the events, if there are two
 */
record Choice(Decision decision, long version, Optional<Split> split) {

    /** A decision of one policy. */
    Choice(Decision decision, long version) {
        this(decision, version, Optional.empty());
    }
}
