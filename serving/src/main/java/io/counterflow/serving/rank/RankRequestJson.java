package io.counterflow.serving.rank;

import io.counterflow.client.rank.Names;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.schemas.json.ContextJson;
import io.counterflow.serving.http.JsonFields;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Optional;

/** Reads {@code {eventId?, context, actions?, excludedActions?, deferActivation?}}. */
final class RankRequestJson {

    private Optional<String> eventId = Optional.empty();
    private List<String> excludedActions = List.of();
    private boolean deferred;

    private RankRequestJson() {}

    static RankRequest read(Buffer body) {
        return new RankRequestJson().request(body);
    }

    private RankRequest request(Buffer body) {
        ContextJson context = new ContextJson(JsonFields.LIMITS);
        JsonFields.read(
                body,
                (name, json) -> {
                    switch (name) {
                        case "eventId" ->
                                eventId = Optional.of(Names.require(name, json.text(name)));
                        case "context" -> context.readContext(json);
                        case "actions" -> context.readActions(json);
                        case "excludedActions" -> excludedActions = JsonFields.texts(name, json);
                        case "deferActivation" -> deferred = json.flag(name);
                        default -> throw JsonFields.unknown(name);
                    }
                });
        return new RankRequest(eventId, context.context(), excludedActions, deferred);
    }
}
