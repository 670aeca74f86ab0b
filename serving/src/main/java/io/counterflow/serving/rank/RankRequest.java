package io.counterflow.serving.rank;

import io.counterflow.schemas.Context;
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
        excludedActions = List.copyOf(excludedActions);
    }
}
