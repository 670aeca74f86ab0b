package io.counterflow.cli.imports;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.counterflow.cli.console.BadInputException;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.json.NamedFeaturesJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Says which columns of a CSV file have what. A YAML or JSON file.
 *
 * @param delimiter between fields
 * @param eventId column of the id of the event; empty to number the lines
 * @param time column of the time; empty if there is none
 * @param timeFormat how the time is written
 * @param policyVersion column of the version of the logging policy; empty if there is none
 * @param action column of the id of the chosen action
 * @param actions all actions, with features that are the same in every row
 * @param excluded column of the ids of actions that could not be chosen, separated by spaces; empty
 *     if every action could always be chosen
 * @param propensity column of the probability of the chosen action; empty if it is not known
 * @param reward column of the reward, or of the cost
 * @param isCost whether that column has the cost, which is minus the reward
 * @param context the features of the context, by their name; a dot makes a namespace
 * @param dense the columns of a context vector; empty for named features
 */
record CsvMapping(
        char delimiter,
        Optional<String> eventId,
        Optional<String> time,
        TimeFormat timeFormat,
        Optional<String> policyVersion,
        String action,
        List<NamedAction> actions,
        Optional<String> excluded,
        Optional<String> propensity,
        String reward,
        boolean isCost,
        Map<String, Feature> context,
        List<String> dense) {

    enum TimeFormat {
        ISO,
        SECONDS,
        MILLISECONDS
    }

    enum FeatureType {
        TEXT,
        NUMBER,
        BOOLEAN
    }

    /** A feature in a column. */
    record Feature(String column, FeatureType type) {

        /** Text in a column. */
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        static Feature ofText(String column) {
            return new Feature(column, FeatureType.TEXT);
        }

        @JsonCreator(mode = JsonCreator.Mode.PROPERTIES)
        static Feature of(
                @JsonProperty(value = "column", required = true) String column,
                @JsonProperty("type") @Nullable FeatureType type) {
            return new Feature(column, type == null ? FeatureType.TEXT : type);
        }
    }

    /** The file as it is written. */
    private record Document(
            @Nullable String delimiter,
            @Nullable String eventId,
            @Nullable String time,
            @Nullable TimeFormat timeFormat,
            @Nullable String policyVersion,
            @Nullable String action,
            @Nullable List<JsonNode> actions,
            @Nullable String excluded,
            @Nullable String propensity,
            @Nullable String reward,
            @Nullable String cost,
            @Nullable LinkedHashMap<String, Feature> context,
            @Nullable List<String> dense) {}

    static CsvMapping read(Path file) throws IOException {
        try {
            Document document =
                    YAMLMapper.builder()
                            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                            .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
                            .build()
                            .readValue(Files.readString(file), Document.class);
            return of(document == null ? none() : document);
        } catch (JsonProcessingException e) {
            throw new BadInputException(file + ": " + e.getOriginalMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new BadInputException(file + ": " + e.getMessage(), e);
        }
    }

    private static Document none() {
        return new Document(
                null, null, null, null, null, null, null, null, null, null, null, null, null);
    }

    private static CsvMapping of(Document document) {
        String delimiter = document.delimiter == null ? "," : document.delimiter;
        require(
                delimiter.length() == 1 && !delimiter.equals("\""),
                "delimiter must be one character, and not a quote");
        require(document.action != null, "action must be the column of the chosen action");
        require(
                (document.reward == null) != (document.cost == null),
                "reward or cost must be a column, and not both");
        require(
                document.actions != null && !document.actions.isEmpty(),
                "actions must be the list of all actions, such as [sport, news]");
        require(
                (document.context == null) != (document.dense == null),
                "context must have the features by name, or dense the columns of a vector");
        if (document.context != null) {
            document.context.keySet().forEach(name -> requireName(name, document.context));
        }
        String reward = document.reward == null ? document.cost : document.reward;
        if (document.action == null || document.actions == null || reward == null) {
            throw new IllegalStateException("these have been checked");
        }
        return new CsvMapping(
                delimiter.charAt(0),
                Optional.ofNullable(document.eventId),
                Optional.ofNullable(document.time),
                document.timeFormat == null ? TimeFormat.ISO : document.timeFormat,
                Optional.ofNullable(document.policyVersion),
                document.action,
                actions(document.actions),
                Optional.ofNullable(document.excluded),
                Optional.ofNullable(document.propensity),
                reward,
                document.cost != null,
                document.context == null ? Map.of() : document.context,
                document.dense == null ? List.of() : List.copyOf(document.dense));
    }

    /** A name may not be both a feature and a namespace. */
    private static void requireName(String name, Map<String, Feature> context) {
        for (int dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
            require(
                    !context.containsKey(name.substring(0, dot)),
                    "context must not have %s and features below it"
                            .formatted(name.substring(0, dot)));
        }
        require(
                !name.isEmpty() && !("." + name + ".").contains(".."),
                "context must have names without empty parts, got \"" + name + '"');
    }

    private static List<NamedAction> actions(List<JsonNode> nodes) {
        require(
                nodes.size() <= JsonLimits.defaults().maxActions(),
                "actions must not be more than " + JsonLimits.defaults().maxActions());
        List<NamedAction> actions = new ArrayList<>();
        for (JsonNode node : nodes) {
            actions.add(action(node));
        }
        require(
                actions.stream().map(NamedAction::id).distinct().count() == actions.size(),
                "actions must have an id each, and one is repeated");
        return actions;
    }

    /** An id, or an object with an id and features. */
    private static NamedAction action(JsonNode node) {
        if (node.isValueNode() && !node.isNull() && !node.asText().isEmpty()) {
            return new NamedAction(node.asText(), NamedFeatures.none());
        }
        String id = node.path("id").asText();
        JsonNode features = node.path("features");
        int fields = (node.has("id") ? 1 : 0) + (node.has("features") ? 1 : 0);
        require(
                node.isObject() && !id.isEmpty() && node.size() == fields,
                "actions must be ids, or objects with an id and features");
        if (features.isMissingNode()) {
            return new NamedAction(id, NamedFeatures.none());
        }
        try {
            return new NamedAction(
                    id, new NamedFeaturesJson(JsonLimits.defaults()).read(features.toString()));
        } catch (InvalidJsonException e) {
            throw new IllegalArgumentException("actions: " + e.getMessage(), e);
        }
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
