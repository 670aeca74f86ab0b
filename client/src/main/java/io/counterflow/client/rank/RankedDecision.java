package io.counterflow.client.rank;

import io.counterflow.core.log.Impression;
import io.counterflow.core.policy.Decision;
import java.util.List;

/**
 * A decision and its impression.
 *
 * @param impression the impression to log
 * @param decision the drawn action with its probabilities
 * @param actionIds ids of all actions, in the order of the request
 */
public record RankedDecision(Impression impression, Decision decision, List<String> actionIds) {

    public String actionId() {
        return actionIds.get(decision.action());
    }
}
