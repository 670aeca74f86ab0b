package io.counterflow.schemas.spec;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonToken;
import io.counterflow.core.features.Interaction;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.RewardRange;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.Setting;
import io.counterflow.core.text.DurationText;
import io.counterflow.schemas.json.FeatureBudget;
import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.schemas.json.JsonDocument;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.json.NamedFeaturesJson;
import io.counterflow.schemas.snapshot.InvalidSnapshotException;
import io.counterflow.schemas.snapshot.SnapshotJson;
import io.counterflow.schemas.text.Spelling;
import io.counterflow.schemas.wire.Optionals;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * Loop specs as JSON objects:
 *
 * <pre>{@code
 * {"actions":["a","b"],"features":784,"objective":"trust-lpr","lambda":1e-6,
 *  "attributionWindow":"30s","snapshotExamples":10000,"rolloutMode":"gated"}
 *
 * {"bits":18,"interactions":["user:topic"],"actionIds":true,
 *  "actions":[{"id":"a","features":{"topic":"sport"}}]}
 * }</pre>
 *
 * <p>Each of {@link LoopSettings} is a field with the same name; absent settings have their
 * defaults. {@code startingPolicy} is a snapshot's JSON object with its weights. Unknown fields are
 * refused. The output of {@link #write} can be read back. Thread safe.
 */
public final class LoopSpecJson {

    /** In a spec, features are nested deeper than in a record, which keeps them as text. */
    private static final int DEPTH_AROUND_FEATURES = 8;

    /** Fields that are written but ignored when read. */
    private static final Set<String> SHOWN_ONLY = Set.of("version", "time");

    private static final String LOOP = "loop";
    private static final int SHOWN = 40;

    private static final JsonFactory FACTORY = JsonDocument.factory(JsonLimits.defaults());

    private final JsonLimits limits;
    private final long maxParameters;
    private final JsonLimits documentLimits;

    public LoopSpecJson(JsonLimits limits) {
        this(limits, LoopShape.MAX_WEIGHTS);
    }

    /**
     * @param maxParameters limit on the parameters of a starting policy
     */
    public LoopSpecJson(JsonLimits limits, long maxParameters) {
        this.limits = limits;
        this.maxParameters = maxParameters;
        this.documentLimits =
                new JsonLimits(
                        limits.maxDepth() + DEPTH_AROUND_FEATURES,
                        limits.maxStringLength(),
                        limits.maxFeatures(),
                        limits.maxActions());
    }

    /**
     * Reads one JSON object in UTF-8. If it is invalid, an {@link IllegalArgumentException} names
     * the field.
     *
     * @param loop the loop of the spec; a field {@code loop} must have the same value
     * @param version the version of the spec; a field {@code version} is ignored
     * @param time the time of the request; a field {@code time} is ignored
     */
    public LoopSpec read(byte[] utf8, String loop, long version, Instant time) {
        return JsonDocument.read(
                documentLimits,
                utf8,
                0,
                utf8.length,
                document -> read(document, LoopSpec.builder(loop).at(version, time), loop));
    }

    /** Reads text; the arguments are the same as for bytes. */
    public LoopSpec read(String json, String loop, long version, Instant time) {
        return read(json.getBytes(StandardCharsets.UTF_8), loop, version, time);
    }

    private LoopSpec read(JsonDocument json, LoopSpec.Builder spec, String loop)
            throws IOException {
        Set<String> seen = new HashSet<>();
        for (String name = json.nextField(); name != null; name = json.nextField()) {
            Optional<Setting<?>> setting = LoopSettings.named(name);
            if (setting.isEmpty() && !SHOWN_ONLY.contains(name) && !name.equals(LOOP)) {
                throw unknown(name);
            }
            if (!seen.add(name)) {
                throw new InvalidJsonException(name, "must be given once, got it again");
            }
            if (json.nextToken() == JsonToken.VALUE_NULL) { // null is the same as absent
                continue;
            }
            if (setting.isPresent()) {
                set(spec, setting.get(), json);
            } else if (name.equals(LOOP)) {
                requireLoop(json.text(name), loop);
            } else {
                json.skip();
            }
        }
        return spec.build();
    }

    /** Settings are typed by people: an ignored setting would seem to be in effect. */
    private static InvalidJsonException unknown(String name) {
        Set<String> known = new TreeSet<>();
        LoopSettings.ALL.forEach(setting -> known.add(setting.name()));
        return new InvalidJsonException(
                name.substring(0, Math.min(SHOWN, name.length())),
                "must be a field of a spec, got an unknown one"
                        + Spelling.nearest(name, known)
                                .map("; did you mean %s?"::formatted)
                                .orElse(""));
    }

    private static void requireLoop(String given, String loop) {
        if (!given.equals(loop)) {
            throw new InvalidJsonException(
                    LOOP, "must be \"%s\" or absent, got another".formatted(loop));
        }
    }

    @SuppressWarnings("unchecked") // value returns the type of the setting's kind
    private <T> void set(LoopSpec.Builder spec, Setting<T> setting, JsonDocument json)
            throws IOException {
        spec.set(setting, (T) value(setting, json));
    }

    private Object value(Setting<?> setting, JsonDocument json) throws IOException {
        String name = setting.name();
        return switch (setting.kind()) {
            case NUMBER -> json.number(name);
            case OPTIONAL_NUMBER -> OptionalDouble.of(json.number(name));
            case WHOLE -> json.integer(name);
            case OPTIONAL_WHOLE -> OptionalLong.of(json.integer(name));
            case FLAG -> json.flag(name);
            case DURATION -> JsonDocument.duration(json.text(name), name);
            case WORD -> Objects.requireNonNull(setting.constant(json.text(name)));
            case REWARD_RANGE -> rewardRange(name, json);
            case INTERACTIONS -> interactions(name, json);
            case ACTIONS -> actions(name, json);
            case SNAPSHOT -> Optional.of(snapshot(name, json));
        };
    }

    private static RewardRange rewardRange(String name, JsonDocument json) throws IOException {
        List<Double> ends = json.list(name, "two numbers", 2, () -> json.number(""));
        if (ends.size() != 2) {
            throw new InvalidJsonException(name, "must be two numbers, got " + ends.size());
        }
        return new RewardRange(ends.get(0), ends.get(1));
    }

    private static List<Interaction> interactions(String name, JsonDocument json)
            throws IOException {
        return json.list(
                name,
                "an array of strings",
                Integer.MAX_VALUE,
                () -> Interaction.parse(json.text("")));
    }

    /** Reads ids, or objects with an id and features. */
    private List<NamedAction> actions(String name, JsonDocument json) throws IOException {
        FeatureBudget budget = new FeatureBudget(limits.maxFeatures());
        return json.list(
                name,
                "an array",
                limits.maxActions(),
                () ->
                        json.token() == JsonToken.START_OBJECT
                                ? action(json, budget)
                                : new NamedAction(json.text(""), NamedFeatures.none()));
    }

    private static NamedAction action(JsonDocument json, FeatureBudget budget) throws IOException {
        String id = "";
        NamedFeatures features = NamedFeatures.none();
        for (String name = json.nextField(); name != null; name = json.nextField()) {
            json.nextToken();
            switch (name) {
                case "id" -> id = json.text("id");
                case "features" -> features = NamedFeaturesJson.read(json, "features", budget);
                default ->
                        throw new InvalidJsonException(
                                "", "must have id and features, got another field");
            }
        }
        return new NamedAction(id, features); // the shape refuses an empty id
    }

    private PolicySnapshot snapshot(String name, JsonDocument json) throws IOException {
        json.require(JsonToken.START_OBJECT, name, "an object");
        try {
            return SnapshotJson.read(json, maxParameters);
        } catch (InvalidSnapshotException e) {
            throw new InvalidJsonException(name, "is invalid: " + e.getMessage());
        }
    }

    /** The spec as one line of JSON, with all its fields. */
    public String write(LoopSpec spec) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(1024);
        try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
            write(spec, json);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Writes the spec as the generator's next value. */
    public void write(LoopSpec spec, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField(LOOP, spec.loop());
        json.writeNumberField("version", spec.version());
        json.writeStringField("time", spec.time().toString());
        for (Setting<?> setting : LoopSettings.ALL) {
            json.writeFieldName(setting.name());
            write(setting, spec.get(setting), json);
        }
        json.writeEndObject();
    }

    private static void write(Setting<?> setting, Object value, JsonGenerator json)
            throws IOException {
        switch (setting.kind()) {
            case NUMBER -> json.writeNumber((Double) value);
            case WHOLE -> json.writeNumber((Long) value);
            case FLAG -> json.writeBoolean((Boolean) value);
            case OPTIONAL_NUMBER -> json.writePOJO(Optionals.orNull((OptionalDouble) value));
            case OPTIONAL_WHOLE -> json.writePOJO(Optionals.orNull((OptionalLong) value));
            case DURATION -> json.writeString(DurationText.format((Duration) value));
            case WORD -> json.writeString(Setting.wordOf(value));
            case REWARD_RANGE -> {
                RewardRange range = (RewardRange) value;
                json.writeStartArray();
                json.writeNumber(range.low());
                json.writeNumber(range.high());
                json.writeEndArray();
            }
            case INTERACTIONS -> {
                json.writeStartArray();
                for (Object interaction : (List<?>) value) {
                    json.writeString(
                            JsonDocument.requireUnicode(setting.name(), interaction.toString()));
                }
                json.writeEndArray();
            }
            case ACTIONS -> {
                json.writeStartArray();
                for (Object action : (List<?>) value) {
                    write((NamedAction) action, json);
                }
                json.writeEndArray();
            }
            case SNAPSHOT -> {
                Optional<?> snapshot = (Optional<?>) value;
                if (snapshot.isPresent()) {
                    SnapshotJson.write((PolicySnapshot) snapshot.get(), true, json);
                } else {
                    json.writeNull();
                }
            }
        }
    }

    private static void write(NamedAction action, JsonGenerator json) throws IOException {
        String id = JsonDocument.requireUnicode("actions", action.id());
        if (action.features().entries().isEmpty()) {
            json.writeString(id);
            return;
        }
        json.writeStartObject();
        json.writeStringField("id", id);
        json.writeFieldName("features");
        NamedFeaturesJson.write(action.features(), json);
        json.writeEndObject();
    }
}
