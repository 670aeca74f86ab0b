package io.counterflow.cli.imports;

import com.fasterxml.jackson.core.JsonToken;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.schemas.json.FeatureBudget;
import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.schemas.json.JsonDocument;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.json.NamedFeaturesJson;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;

/** The fields of one event of decision-service JSON, in any order. */
final class DsjsonEvent {

    private final JsonLimits limits;
    private final FeatureBudget budget;
    private final Set<String> seen = new HashSet<>();

    private OptionalDouble cost = OptionalDouble.empty();
    private OptionalDouble originalCost = OptionalDouble.empty();
    private OptionalDouble probability = OptionalDouble.empty();
    private OptionalLong labelAction = OptionalLong.empty(); // from 1
    private OptionalLong labelIndex = OptionalLong.empty(); // from 0
    private List<Long> ranking = List.of();
    private List<Double> probabilities = List.of();
    private Optional<String> eventId = Optional.empty();
    private Instant time = Instant.EPOCH;
    private Optional<String> model = Optional.empty();
    private boolean skipLearn;
    private boolean dropped;
    private boolean observed;
    private boolean severalSlots;
    private boolean hasContext;
    private boolean hasActions;
    private NamedFeatures shared = NamedFeatures.none();
    private List<NamedFeatures> actions = List.of();
    private final List<Optional<String>> tags = new ArrayList<>();

    DsjsonEvent(JsonLimits limits) {
        this.limits = limits;
        this.budget = new FeatureBudget(limits.maxFeatures());
    }

    DsjsonEvent read(JsonDocument json) throws IOException {
        for (String name = json.nextField(); name != null; name = json.nextField()) {
            if (json.nextToken() != JsonToken.VALUE_NULL) {
                readField(name, json);
            }
        }
        return this;
    }

    private void readField(String name, JsonDocument json) throws IOException {
        switch (name) {
            case "_label_cost" -> cost = OptionalDouble.of(json.number(name));
            case "_original_label_cost" -> originalCost = OptionalDouble.of(json.number(name));
            case "_label_probability" -> probability = OptionalDouble.of(json.number(name));
            case "_label_Action" -> labelAction = OptionalLong.of(json.integer(name));
            case "_labelIndex" -> labelIndex = OptionalLong.of(json.integer(name));
            case "_skipLearn" -> skipLearn = json.flag(name);
            case "pdrop" -> dropped = json.number(name) > 0.0;
            case "a" ->
                    ranking =
                            json.list(
                                    name,
                                    "an array of whole numbers",
                                    limits.maxActions(),
                                    () -> json.integer(""));
            case "p" ->
                    probabilities =
                            json.list(
                                    name,
                                    "an array of numbers",
                                    limits.maxActions(),
                                    () -> json.number(""));
            case "EventId", "event_id" -> eventId = Optional.of(json.text(name));
            case "Timestamp" -> time = Decisions.time(name, json.text(name));
            case "VWState" -> readModel(json);
            case "o" -> observed = isFilled(json);
            case "c" -> readContext(json);
            case "_outcomes", "_label_ca", "_slates" -> {
                severalSlots = true;
                json.skip();
            }
            default -> {
                json.skip();
                return;
            }
        }
        if (!seen.add(name)) {
            throw new InvalidJsonException(name, "must be given once, got it again");
        }
    }

    private static boolean isFilled(JsonDocument json) {
        json.require(JsonToken.START_ARRAY, "o", "an array");
        boolean filled = false;
        while (json.nextToken() != JsonToken.END_ARRAY) {
            filled = true;
            json.skip();
        }
        return filled;
    }

    private void readModel(JsonDocument json) {
        json.require(JsonToken.START_OBJECT, "VWState", "an object");
        for (String name = json.nextField(); name != null; name = json.nextField()) {
            JsonToken token = json.nextToken();
            if (name.equals("m") && token != JsonToken.VALUE_NULL) {
                model = Optional.of(json.text("VWState.m"));
            } else {
                json.skip();
            }
        }
    }

    private void readContext(JsonDocument json) throws IOException {
        json.require(JsonToken.START_OBJECT, "c", "an object");
        hasContext = true;
        List<NamedFeatures.Entry> entries = new ArrayList<>();
        for (String name = json.nextField(); name != null; name = json.nextField()) {
            json.nextToken();
            if (name.equals("_multi")) {
                if (hasActions) {
                    throw new InvalidJsonException("c._multi", "must be given once");
                }
                hasActions = true;
                actions =
                        json.list("c._multi", "an array", limits.maxActions(), () -> action(json));
            } else if (name.equals("_slots")) {
                severalSlots = true;
                json.skip();
            } else {
                readFeature(name, "c", json, entries);
            }
        }
        shared = features(entries);
    }

    private NamedFeatures action(JsonDocument json) throws IOException {
        json.require(JsonToken.START_OBJECT, "", "an object");
        Optional<String> tag = Optional.empty();
        List<NamedFeatures.Entry> entries = new ArrayList<>();
        for (String name = json.nextField(); name != null; name = json.nextField()) {
            JsonToken token = json.nextToken();
            if (name.equals("_tag") && token == JsonToken.VALUE_STRING) {
                tag = Optional.of(json.text("_tag")).filter(text -> !text.isEmpty());
            } else {
                readFeature(name, "", json, entries);
            }
        }
        tags.add(tag);
        return features(entries);
    }

    /** Vowpal Wabbit ignores names that start with an underscore. */
    private void readFeature(
            String name, String field, JsonDocument json, List<NamedFeatures.Entry> entries)
            throws IOException {
        if (name.startsWith("_")) {
            json.skip();
            return;
        }
        JsonDocument.requireUnicode(field, name);
        FeatureValue value =
                NamedFeaturesJson.value(
                        json, field, budget, NamedFeaturesJson.Dialect.PERSONALIZER);
        entries.add(new NamedFeatures.Entry(name, value));
    }

    private static NamedFeatures features(List<NamedFeatures.Entry> entries) {
        return entries.isEmpty()
                ? NamedFeatures.none()
                : DsjsonFeatures.read(new NamedFeatures(entries));
    }

    Impression toImpression(
            String loop,
            String unnamedEventId,
            RewardMapping rewards,
            ModelNumbers models,
            Intake intake) {
        requireDecision();
        int action = action();
        double propensity =
                Decisions.propensity("_label_probability", probability.orElse(Double.NaN));
        double reward = rewards.ofCost(cost.orElse(Double.NaN));
        List<Double> distribution =
                DsjsonDistribution.of(ranking, probabilities, actions.size(), action, propensity);
        if (distribution.isEmpty() && !probabilities.isEmpty()) {
            intake.lose(Loss.DISTRIBUTION);
        }
        if (dropped) {
            intake.lose(Loss.DROPPED_EVENTS);
        }
        if (observed) {
            intake.lose(Loss.OBSERVATIONS);
        }
        if (originalCost.isPresent() && originalCost.getAsDouble() != cost.orElse(Double.NaN)) {
            intake.lose(Loss.ORIGINAL_COST);
        }
        long version = model.map(models::of).orElse(0L);
        if (model.isPresent() && models.isShared(model.get())) {
            intake.lose(Loss.MODELS);
        }
        List<String> ids = ActionIds.of(tags, intake);
        List<NamedAction> named = new ArrayList<>();
        for (int a = 0; a < actions.size(); a++) {
            named.add(
                    new NamedAction(
                            ids.get(a), DsjsonFeatures.withoutId(ids.get(a), actions.get(a))));
        }
        return Decisions.of(
                eventId.filter(id -> !id.isEmpty()).orElse(unnamedEventId),
                loop,
                version,
                time,
                new Context.Named(shared, named),
                new Choice(
                        action,
                        OptionalDouble.of(propensity),
                        PropensityKind.EXACT,
                        distribution,
                        AllowedActions.ALL),
                reward);
    }

    private void requireDecision() {
        if (severalSlots) {
            throw new RejectedRecordException(
                    Rejection.SEVERAL_SLOTS, "the event decides several slots or a number");
        }
        if (!hasContext) {
            throw new RejectedRecordException(
                    Rejection.NOT_A_DECISION, "the event has no context c");
        }
        if (actions.isEmpty()) {
            throw new RejectedRecordException(
                    Rejection.ACTION, "c._multi must have at least one action");
        }
        if (skipLearn) {
            throw new RejectedRecordException(Rejection.NOT_LEARNED, "_skipLearn is true");
        }
        if (cost.isEmpty() || (labelAction.isEmpty() && labelIndex.isEmpty())) {
            throw new RejectedRecordException(
                    Rejection.NO_LABEL,
                    "_label_cost and _labelIndex or _label_Action must be given");
        }
    }

    private int action() {
        long index = labelIndex.orElse(labelAction.orElse(0) - 1);
        if (labelAction.isPresent() && labelAction.getAsLong() - 1 != index) {
            throw new RejectedRecordException(
                    Rejection.ACTION,
                    "_label_Action must be _labelIndex + 1, got %d and %d"
                            .formatted(labelAction.getAsLong(), index));
        }
        if (index < 0 || index >= actions.size()) {
            throw new RejectedRecordException(
                    Rejection.ACTION,
                    "_labelIndex must be in [0, %d), got %d".formatted(actions.size(), index));
        }
        return (int) index;
    }
}
