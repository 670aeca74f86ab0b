package io.counterflow.serving.loops;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.counterflow.core.loop.SpecChange;
import io.counterflow.core.loop.StreamObjective;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.LoopSpec;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.json.JsonNames;
import io.counterflow.schemas.json.LoopSpecJson;
import io.counterflow.schemas.record.DenseShape;
import io.counterflow.schemas.record.HashedShape;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.snapshot.SnapshotJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

/** With {@code -Dcounterflow.writeDocs=true} the page is written anew instead of compared. */
final class LoopsPageIT {

    private static final Path PAGE = Path.of("..", "docs", "loops.md");
    private static final String BEGIN = "<!-- %s: written by LoopsPageIT -->\n";
    private static final String END = "<!-- end of %s -->\n";

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final LoopSpecJson JSON = new LoopSpecJson(JsonLimits.defaults());
    private static final String DENSE = "{\"actions\":[\"a\",\"b\"],\"features\":2}";
    private static final String HASHED = "{\"bits\":18}";
    private static final String MIXED =
            ",\"policy\":\"mixedLogit\",\"propensityKind\":\"estimated\",\"variance\":0.1";

    private static final Set<String> NOT_SAID = Set.of("loop", "version", "time");

    /** For each field of a spec of named features another value than its default. */
    private static final Map<String, String> HASHED_CHANGES =
            Map.of(
                    "bits", "19",
                    "interactions", "[\"a:b\"]",
                    "actionIds", "false",
                    "actions", "[{\"id\":\"a\",\"features\":{}}]");

    /** The same of a spec of context vectors. */
    private static final Map<String, String> CHANGES =
            Map.ofEntries(
                    entry("actions", "[\"a\",\"c\"]"),
                    entry("features", "3"),
                    entry("normBound", "2.0"),
                    entry("policy", "\"mixedLogit\""),
                    entry("propensityKind", "\"upperBound\""),
                    entry("propensityDraws", "10"),
                    entry("variance", "0.2"),
                    entry("inverseTemperature", "2.0"),
                    entry("explorationFloor", "0.1"),
                    entry("distributionLimit", "7"),
                    entry("unloggedDecision", "\"answer\""),
                    entry("objective", "\"wnll-lpr\""),
                    entry("lambda", "0.5"),
                    entry("varianceLambda", "0.5"),
                    entry("tau", "0.5"),
                    entry("smoothing", "0.5"),
                    entry("delta", "0.01"),
                    entry("priorVariance", "0.5"),
                    entry("learningRate", "0.5"),
                    entry("adaGradSmoothing", "0.5"),
                    entry("batchSize", "7"),
                    entry("replay", "2"),
                    entry("bufferLimit", "1000"),
                    entry("seed", "2"),
                    entry("snapshotExamples", "7"),
                    entry("snapshotInterval", "\"60s\""),
                    entry("attributionWindow", "\"60s\""),
                    entry("defaultReward", "0.5"),
                    entry("rewardAggregation", "\"max\""),
                    entry("rolloutMode", "\"immediate\""),
                    entry("canaryShare", "0.5"),
                    entry("candidateExamples", "7"),
                    entry("automaticRollback", "false"),
                    entry(
                            "startingPolicy",
                            SnapshotJson.toJson(
                                    PolicySnapshot.of(
                                            "home", 1, DenseModel.zeros(2, 2), Optional.empty()),
                                    true)));

    @Test
    void thePageListsEveryFieldWithItsDefaultAndWhatAChangeOfItMeans() throws IOException {
        String page = Files.readString(PAGE);
        page = replaced(page, "context vectors", vectorTable());
        page = replaced(page, "named features", namedTable());
        page = replaced(page, "fields of both", commonTable());
        if (Boolean.getBoolean("counterflow.writeDocs")) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(page);
    }

    @Test
    void noFieldIsMissing() throws IOException {
        Set<String> known = new TreeSet<>();
        MAPPER.readTree(JSON.write(spec(DENSE))).fieldNames().forEachRemaining(known::add);
        MAPPER.readTree(JSON.write(spec(HASHED))).fieldNames().forEachRemaining(known::add);
        known.removeAll(NOT_SAID);
        Set<String> listed = new TreeSet<>(CHANGES.keySet());
        listed.addAll(HASHED_CHANGES.keySet());
        assertThat(listed).isEqualTo(known);
    }

    private static String replaced(String page, String part, String table) {
        int begin = page.indexOf(BEGIN.formatted(part)) + BEGIN.formatted(part).length();
        int end = page.indexOf(END.formatted(part));
        assertThat(end).as(part).isGreaterThan(0);
        return page.substring(0, begin) + table + page.substring(end);
    }

    private static String vectorTable() {
        return table(
                Stream.of("actions", "features")
                        .map(it -> row(it, "required", doc(DenseShape.getClassSchema(), it), DENSE))
                        .toList());
    }

    private static String namedTable() {
        return table(
                Stream.of("bits", "interactions", "actionIds", "actions")
                        .map(LoopsPageIT::namedRow)
                        .toList());
    }

    private static String namedRow(String name) {
        return row(
                name,
                switch (name) {
                    case "bits" -> "required";
                    case "interactions" -> "everything with everything";
                    default -> "`" + shown(HASHED).get(name) + "`";
                },
                doc(HashedShape.getClassSchema(), name),
                HASHED);
    }

    private static String commonTable() {
        JsonNode defaults = shown(DENSE);
        List<String> names = new ArrayList<>();
        defaults.fieldNames().forEachRemaining(names::add);
        return table(
                names.stream()
                        .filter(it -> !NOT_SAID.contains(it) && !DENSE.contains("\"" + it + "\""))
                        .map(it -> commonRow(it, defaults.get(it)))
                        .toList());
    }

    private static String commonRow(String name, JsonNode value) {
        Schema schema = LoopSpecRecord.getClassSchema();
        String column = schema.getField(name) == null ? name + "Ms" : name;
        String base =
                Set.of("propensityKind", "variance").contains(name)
                        ? DENSE.replace("}", MIXED + "}")
                        : DENSE;
        return row(
                name,
                value.isNull() ? "none" : "`" + value.asText().replace("PT0S", "0s") + "`",
                doc(schema, column).replaceAll(",? in milliseconds", "").replace("null", "none")
                        + words(name, schema.getField(column).schema()),
                base);
    }

    /** What may be chosen from. */
    private static String words(String name, Schema schema) {
        Stream<String> words;
        if (name.equals("objective")) {
            words = Stream.of(StreamObjective.Kind.values()).map(StreamObjective.Kind::label);
        } else if (schema.getType() == Schema.Type.ENUM) {
            words =
                    schema.getEnumSymbols().stream()
                            .filter(it -> !it.equals("UNKNOWN"))
                            .map(LoopsPageIT::camelCase);
        } else {
            return "";
        }
        return words.map(it -> "`" + it + "`").collect(Collectors.joining(", ", " One of ", "."));
    }

    private static String camelCase(String symbol) {
        String[] parts = symbol.toLowerCase(Locale.ROOT).split("_", -1);
        return parts[0]
                + Stream.of(parts)
                        .skip(1)
                        .map(it -> it.substring(0, 1).toUpperCase(Locale.ROOT) + it.substring(1))
                        .collect(Collectors.joining());
    }

    private static String row(String name, String defaultText, String meaning, String base) {
        return "| `%s` | %s | %s | %s |\n"
                .formatted(name, defaultText, meaning, verdict(name, base));
    }

    private static String table(List<String> rows) {
        return "| field | default | what it says | a change |\n|---|---|---|---|\n"
                + String.join("", rows);
    }

    private static String doc(Schema schema, String field) {
        return Objects.requireNonNull(schema.getField(field).doc(), field).replace("\n", " ");
    }

    private static JsonNode shown(String json) {
        try {
            return MAPPER.readTree(JSON.write(spec(json)));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What the server says of a change of this field alone. */
    private static String verdict(String name, String base) {
        Map<String, String> changes = base.equals(HASHED) ? HASHED_CHANGES : CHANGES;
        try {
            ObjectNode changed = (ObjectNode) MAPPER.readTree(base);
            changed.set(name, MAPPER.readTree(Objects.requireNonNull(changes.get(name), name)));
            if (name.equals("policy")) { // a mixed logit needs more
                changed.put("propensityKind", "estimated").put("variance", 0.1);
            }
            SpecChange change = SpecVerdict.classify(spec(base), spec(changed.toString()));
            assertThat(change.fields()).as("a change of " + name).isNotEmpty();
            assertThat(change.fields())
                    .as("a change of " + name + " is told by its name")
                    .anyMatch(it -> it.name().equals(name) || it.name().equals("shape"));
            return JsonNames.of(change.verdict());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static LoopSpec spec(String json) {
        return JSON.read(json, "home", 1, Instant.EPOCH.plusSeconds(2_000_000_000));
    }
}
