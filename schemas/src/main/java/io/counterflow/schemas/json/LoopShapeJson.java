package io.counterflow.schemas.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonToken;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.Interaction;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.spec.LoopShape;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a spec that say what its actions and features are, collected in any order: {@code
 * actions} and {@code features} of a context vector, or {@code bits} with {@code interactions},
 * {@code actionIds} and {@code actions} of named features.
 */
final class LoopShapeJson {

    /** The fields that belong to the shape. */
    static final Set<String> FIELDS =
            Set.of("actions", "features", "bits", "interactions", "actionIds");

    private final JsonLimits limits;
    private final FeatureBudget budget;
    private final List<NamedAction> actions = new ArrayList<>();
    private boolean described;
    private OptionalInt features = OptionalInt.empty();
    private OptionalInt bits = OptionalInt.empty();
    private @Nullable List<Interaction> interactions;
    private @Nullable Boolean actionIds;

    LoopShapeJson(JsonLimits limits) {
        this.limits = limits;
        this.budget = new FeatureBudget(limits.maxFeatures());
    }

    void readField(String name, JsonDocument json) throws IOException {
        switch (name) {
            case "actions" -> readActions(json);
            case "features" -> features = OptionalInt.of(json.index(name));
            case "bits" -> bits = OptionalInt.of(json.index(name));
            case "interactions" -> interactions = interactions(json);
            case "actionIds" -> actionIds = json.flag(name);
            default -> throw new IllegalStateException(name + " is no field of a shape");
        }
    }

    private void readActions(JsonDocument json) throws IOException {
        json.require(JsonToken.START_ARRAY, "actions", "an array");
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (actions.size() == limits.maxActions()) {
                throw new InvalidJsonException(
                        "actions", "must not be more than " + limits.maxActions());
            }
            String field = "actions[" + actions.size() + "]";
            if (json.token() == JsonToken.START_OBJECT) {
                described = true;
                actions.add(action(json, field));
            } else {
                actions.add(new NamedAction(json.text(field), NamedFeatures.none()));
            }
        }
    }

    private NamedAction action(JsonDocument json, String field) throws IOException {
        String id = "";
        NamedFeatures named = NamedFeatures.none();
        for (Optional<String> name = json.nextField(); name.isPresent(); name = json.nextField()) {
            json.nextToken();
            switch (name.get()) {
                case "id" -> id = json.text(field + ".id");
                case "features" ->
                        named = NamedFeaturesJson.read(json, field + ".features", budget);
                default ->
                        throw new InvalidJsonException(
                                field, "must have id and features, got another field");
            }
        }
        return new NamedAction(id, named); // the shape refuses an empty id
    }

    private static List<Interaction> interactions(JsonDocument json) throws IOException {
        json.require(JsonToken.START_ARRAY, "interactions", "an array of strings");
        List<Interaction> read = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            read.add(Interaction.parse(json.text("interactions[" + read.size() + "]")));
        }
        return read;
    }

    /** What was read. */
    LoopShape shape() {
        if (features.isPresent() == bits.isPresent()) {
            throw new InvalidJsonException(
                    "features",
                    "must be given for context vectors, or bits for named features, got "
                            + (bits.isPresent() ? "both" : "neither"));
        }
        return bits.isPresent() ? hashed(bits.getAsInt()) : dense(features.getAsInt());
    }

    private LoopShape hashed(int givenBits) {
        return new LoopShape.Hashed(
                givenBits,
                interactions == null ? EncoderSpec.ALL_INTERACTIONS : interactions,
                actionIds == null || actionIds,
                actions);
    }

    private LoopShape dense(int dimension) {
        if (interactions != null || actionIds != null) {
            throw new InvalidJsonException(
                    interactions != null ? "interactions" : "actionIds",
                    "must be absent where contexts are vectors: give bits for named features");
        }
        if (described) {
            throw new InvalidJsonException(
                    "actions",
                    "must be strings where contexts are vectors: give bits for named features");
        }
        return new LoopShape.Dense(actions.stream().map(NamedAction::id).toList(), dimension);
    }

    static void write(LoopShape shape, JsonGenerator json) throws IOException {
        if (shape instanceof LoopShape.Dense dense) {
            json.writeArrayFieldStart("actions");
            for (String action : dense.actions()) {
                json.writeString(JsonDocument.requireUnicode("actions", action));
            }
            json.writeEndArray();
            json.writeNumberField("features", dense.features());
        } else if (shape instanceof LoopShape.Hashed hashed) {
            json.writeNumberField("bits", hashed.bits());
            json.writeArrayFieldStart("interactions");
            for (Interaction interaction : hashed.interactions()) {
                json.writeString(
                        JsonDocument.requireUnicode("interactions", interaction.toString()));
            }
            json.writeEndArray();
            json.writeBooleanField("actionIds", hashed.idFeatures());
            json.writeArrayFieldStart("actions");
            for (NamedAction action : hashed.fixedActions()) {
                json.writeStartObject();
                json.writeStringField("id", JsonDocument.requireUnicode("actions", action.id()));
                json.writeFieldName("features");
                NamedFeaturesJson.write(action.features(), json);
                json.writeEndObject();
            }
            json.writeEndArray();
        }
    }
}
