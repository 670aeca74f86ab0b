package io.counterflow.serving.rank;

import com.fasterxml.jackson.core.JsonToken;
import io.counterflow.client.rank.Names;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.client.rank.Slot;
import io.counterflow.client.rank.SlotsRequest;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.schemas.json.ContextJson;
import io.counterflow.schemas.json.FeatureBudget;
import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.schemas.json.JsonDocument;
import io.counterflow.schemas.json.NamedFeaturesJson;
import io.counterflow.serving.http.JsonFields;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Reads {@code {eventId?, context, actions?, excludedActions?, deferActivation?}}, and the same
 * with {@code slots: [{id, features?, excludedActions?, baselineAction?}, …]}.
 */
final class RankRequestJson {

    private static final String SLOTS = "slots";

    private final boolean hasSlots;
    private final ContextJson context = new ContextJson(JsonFields.LIMITS);
    private Optional<String> eventId = Optional.empty();
    private List<String> excludedActions = List.of();
    private boolean deferred;
    private List<Slot> slots = List.of();

    private RankRequestJson(boolean hasSlots) {
        this.hasSlots = hasSlots;
    }

    static RankRequest read(Buffer body) {
        return new RankRequestJson(false).request(body);
    }

    static SlotsRequest readSlots(Buffer body) {
        RankRequestJson json = new RankRequestJson(true);
        RankRequest shared = json.request(body);
        return new SlotsRequest(shared, json.slots);
    }

    private RankRequest request(Buffer body) {
        JsonFields.read(body, this::take);
        return new RankRequest(eventId, context.context(), excludedActions, deferred);
    }

    private void take(String name, JsonDocument json) throws IOException {
        switch (name) {
            case "eventId" -> eventId = Optional.of(Names.require(name, json.text(name)));
            case "context" -> context.readContext(json);
            case "actions" -> context.readActions(json);
            case "excludedActions" -> excludedActions = JsonFields.texts(name, json);
            case "deferActivation" -> deferred = json.flag(name);
            case SLOTS -> readSlots(json);
            default -> throw JsonFields.unknown(name);
        }
    }

    private void readSlots(JsonDocument json) throws IOException {
        if (!hasSlots) {
            throw JsonFields.unknown(SLOTS);
        }
        FeatureBudget budget = new FeatureBudget(JsonFields.LIMITS.maxFeatures());
        slots = json.list(SLOTS, "an array", SlotsRequest.MAX_SLOTS, () -> slot(json, budget));
    }

    private static Slot slot(JsonDocument json, FeatureBudget budget) throws IOException {
        json.require(JsonToken.START_OBJECT, "", "an object");
        String id = "";
        NamedFeatures features = NamedFeatures.none();
        List<String> excluded = List.of();
        Optional<String> baseline = Optional.empty();
        for (String name = json.nextField(); name != null; name = json.nextField()) {
            if (json.nextToken() == JsonToken.VALUE_NULL) {
                continue;
            }
            switch (name) {
                case "id" -> id = json.text(name);
                case "features" -> features = NamedFeaturesJson.read(json, name, budget);
                case "excludedActions" -> excluded = JsonFields.texts(name, json);
                case "baselineAction" -> baseline = Optional.of(json.text(name));
                default ->
                        throw new InvalidJsonException(
                                "",
                                "must have id, features, excludedActions and baselineAction, got"
                                        + " another field");
            }
        }
        if (!Slot.isId(id)) {
            throw new InvalidJsonException("id", Slot.ID_RULE);
        }
        return new Slot(id, features, excluded, baseline);
    }
}
