package io.counterflow.serving.personalizer;

import com.fasterxml.jackson.core.JsonToken;
import io.counterflow.client.rank.Names;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.client.rank.Slot;
import io.counterflow.client.rank.SlotsRequest;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Context;
import io.counterflow.schemas.json.FeatureBudget;
import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.schemas.json.JsonDocument;
import io.counterflow.schemas.json.NamedFeaturesJson;
import io.counterflow.schemas.json.NamedFeaturesJson.Dialect;
import io.counterflow.serving.http.JsonFields;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads {@code {contextFeatures[], actions[{id, features[]}], excludedActions, eventId,
 * deferActivation}}, and the same with {@code slots: [{id, features[], excludedActions,
 * baselineAction}]}. Features are arrays of objects, whose fields are joined in order.
 */
final class PersonalizerRequestJson {

    private final FeatureBudget budget = new FeatureBudget(JsonFields.LIMITS.maxFeatures());
    private NamedFeatures context = NamedFeatures.none();
    private List<NamedAction> actions = List.of();
    private List<String> excludedActions = List.of();
    private Optional<String> eventId = Optional.empty();
    private boolean deferred;

    private final boolean hasSlots;
    private List<Slot> slots = List.of();

    private PersonalizerRequestJson(boolean hasSlots) {
        this.hasSlots = hasSlots;
    }

    static RankRequest read(Buffer body) {
        return new PersonalizerRequestJson(false).request(body);
    }

    static SlotsRequest readSlots(Buffer body) {
        PersonalizerRequestJson json = new PersonalizerRequestJson(true);
        RankRequest shared = json.request(body);
        return new SlotsRequest(shared, json.slots);
    }

    private RankRequest request(Buffer body) {
        JsonFields.read(body, this::take);
        if (actions.isEmpty()) {
            throw new InvalidJsonException("actions", "must be at least 1, got none");
        }
        return new RankRequest(
                eventId, new Context.Named(context, actions), excludedActions, deferred);
    }

    private void take(String name, JsonDocument json) throws IOException {
        switch (name) {
            case "contextFeatures" -> context = features(name, json);
            case "actions" ->
                    actions =
                            json.list(
                                    name,
                                    "an array",
                                    JsonFields.LIMITS.maxActions(),
                                    () -> action(json));
            case "excludedActions" -> excludedActions = JsonFields.texts(name, json);
            case "eventId" -> eventId = Optional.of(Names.require(name, json.text(name)));
            case "deferActivation" -> deferred = json.flag(name);
            case "slots" -> slots = slots(name, json);
            default -> throw JsonFields.unknown(name);
        }
    }

    private NamedAction action(JsonDocument json) throws IOException {
        json.require(JsonToken.START_OBJECT, "", "an object");
        String id = "";
        NamedFeatures features = NamedFeatures.none();
        for (String name = json.nextField(); name != null; name = json.nextField()) {
            if (json.nextToken() == JsonToken.VALUE_NULL) {
                continue;
            }
            switch (name) {
                case "id" -> id = json.text("id");
                case "features" -> features = features("features", json);
                default -> json.skip();
            }
        }
        return new NamedAction(id, features); // the context refuses an empty id
    }

    private List<Slot> slots(String field, JsonDocument json) throws IOException {
        if (!hasSlots) {
            throw JsonFields.unknown(field);
        }
        return json.list(field, "an array", SlotsRequest.MAX_SLOTS, () -> slot(json));
    }

    private Slot slot(JsonDocument json) throws IOException {
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
                case "features" -> features = features(name, json);
                case "excludedActions" -> excluded = JsonFields.texts(name, json);
                case "baselineAction" -> baseline = Optional.of(json.text(name));
                default -> json.skip();
            }
        }
        if (!Slot.isId(id)) {
            throw new InvalidJsonException("id", Slot.ID_RULE);
        }
        return new Slot(id, features, excluded, baseline);
    }

    private NamedFeatures features(String field, JsonDocument json) throws IOException {
        json.require(JsonToken.START_ARRAY, field, "an array of objects");
        List<NamedFeatures.Entry> entries = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            entries.addAll(
                    NamedFeaturesJson.read(json, field, budget, Dialect.PERSONALIZER).entries());
        }
        return entries.isEmpty() ? NamedFeatures.none() : new NamedFeatures(entries);
    }
}
