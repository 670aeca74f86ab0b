package io.counterflow.client.rank;

import io.counterflow.core.log.Context;
import java.util.List;
import java.util.Optional;

/**
 * A request for a decision.
 *
 * @param eventId the caller's id of the event; empty for a new one
 * @param context features, and the actions if the loop has no fixed list
 * @param excludedActions ids of the actions that must not be chosen
 * @param deferred whether the decision counts only when it is activated
 */
public record RankRequest(
        Optional<String> eventId, Context context, List<String> excludedActions, boolean deferred) {

    public RankRequest {
        eventId.ifPresent(id -> Names.require("eventId", id));
        excludedActions = List.copyOf(excludedActions);
    }

    /** A request with a new event id and without excluded actions. */
    public static RankRequest of(Context context) {
        return new RankRequest(Optional.empty(), context, List.of(), false);
    }

    /** A copy with the caller's event id; the same id gets the same answer. */
    public RankRequest withEventId(String id) {
        return new RankRequest(Optional.of(id), context, excludedActions, deferred);
    }

    /** A copy that excludes these actions. */
    public RankRequest excluding(List<String> actionIds) {
        return new RankRequest(eventId, context, actionIds, deferred);
    }

    /** A copy for a decision that counts only when it is activated. */
    public RankRequest deferringActivation() {
        return new RankRequest(eventId, context, excludedActions, true);
    }
}
