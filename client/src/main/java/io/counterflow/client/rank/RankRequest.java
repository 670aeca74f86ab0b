package io.counterflow.client.rank;

import io.counterflow.core.log.Context;
import java.util.List;
import java.util.Optional;

/**
 * What a decision is asked on.
 *
 * @param eventId the caller's own name of the event; empty to have one made
 * @param context features, and the actions where the loop has no fixed list
 * @param excludedActions ids of the actions that must not be chosen
 * @param deferred whether the decision counts only once it is activated
 */
public record RankRequest(
        Optional<String> eventId, Context context, List<String> excludedActions, boolean deferred) {

    public RankRequest {
        eventId.ifPresent(id -> Names.require("eventId", id));
        excludedActions = List.copyOf(excludedActions);
    }

    /** Asks for any action, shown at once, under an event id that is made. */
    public static RankRequest of(Context context) {
        return new RankRequest(Optional.empty(), context, List.of(), false);
    }

    /** The same under the caller's own event id: asked again, the answer is the same. */
    public RankRequest withEventId(String id) {
        return new RankRequest(Optional.of(id), context, excludedActions, deferred);
    }

    /** The same without these actions. */
    public RankRequest excluding(List<String> actionIds) {
        return new RankRequest(eventId, context, actionIds, deferred);
    }

    /** The same for a decision that counts only once it is activated. */
    public RankRequest deferringActivation() {
        return new RankRequest(eventId, context, excludedActions, true);
    }
}
