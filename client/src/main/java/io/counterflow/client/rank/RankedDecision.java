package io.counterflow.client.rank;

import io.counterflow.core.log.Impression;
import io.counterflow.core.policy.Decision;
import java.util.List;

/**
 * A decision, with what is logged of it.
 *
 * @param impression what is logged
 * @param decision what was drawn
 * @param actionIds ids of all actions, in the order of the request
 */
public record RankedDecision(Impression impression, Decision decision, List<String> actionIds) {

    /** The id of the action that was chosen. */
    public String actionId() {
        return actionIds.get(decision.action());
    }
}
