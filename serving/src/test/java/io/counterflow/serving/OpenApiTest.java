package io.counterflow.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.client.policies.PolicyLimits;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.SnapshotDirectory;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.Setting;
import io.counterflow.core.spec.SpecChange;
import io.counterflow.core.text.DurationText;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.record.RolloutKindRecord;
import io.counterflow.serving.auth.Caller;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.diagnosis.JobState;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.RequestWorkers;
import io.counterflow.serving.pipeline.JobCounts;
import io.counterflow.serving.pipeline.LoopFlows;
import io.counterflow.serving.pipeline.LoopPipelines;
import io.counterflow.serving.pipeline.PipelineJson;
import io.counterflow.serving.stats.Truth;
import io.counterflow.serving.stats.WindowStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The description and what it describes. */
final class OpenApiTest {

    private static final Vertx VERTX = Vertx.vertx();
    private static final Pattern NUMBER = Pattern.compile("-?[0-9][0-9.e-]*");
    private static final List<String> METHODS = List.of("get", "put", "post", "delete");

    @AfterAll
    static void close() {
        var unused = VERTX.close();
    }

    private static List<Endpoint> routes() {
        return new ServingApi(
                        VERTX,
                        new RequestWorkers(VERTX, 1),
                        ServingConfig.parse("serving.personalizer-loop: home", Map.of()),
                        new PolicyStore(
                                PolicyLimits.ofHeap(), SnapshotDirectory.none(), message -> {}),
                        new WindowStore(),
                        new LoopPipelines(
                                new LoopFlows(Clock.systemUTC()),
                                new JobCounts(),
                                OpenApiTest::noJob,
                                Clock.systemUTC()),
                        Truth.unknown(),
                        new ServingApi.Logs(
                                (topic, key, time, value) ->
                                        CompletableFuture.completedFuture(null),
                                (topic, key, time, value) ->
                                        CompletableFuture.completedFuture(null),
                                (topic, key, time, value) ->
                                        CompletableFuture.completedFuture(null),
                                (loop, change) -> Future.succeededFuture(change.get())),
                        new SimpleMeterRegistry(),
                        Clock.systemUTC())
                .endpoints();
    }

    private static JobState noJob() {
        return new JobState(
                false, Optional.empty(), Optional.empty(), 0, Duration.ZERO, Duration.ofMinutes(5));
    }

    private static JsonNode document() throws IOException {
        try (InputStream in = OpenApiTest.class.getResourceAsStream("openapi.yaml")) {
            return new YAMLMapper().readTree(in);
        }
    }

    @Test
    void everyRouteIsDescribedAndEveryDescriptionHasARoute() throws IOException {
        TreeSet<String> described = new TreeSet<>();
        document()
                .get("paths")
                .properties()
                .forEach(
                        path ->
                                METHODS.stream()
                                        .filter(path.getValue()::has)
                                        .forEach(it -> described.add(it + " " + path.getKey())));
        TreeSet<String> served = new TreeSet<>();
        routes().forEach(it -> served.add(methodOf(it) + " " + it.template()));
        assertThat(described).isEqualTo(served);
    }

    @Test
    void theScopeThatARouteNeedsIsSaid() throws IOException {
        JsonNode paths = document().get("paths");
        for (Endpoint route : routes()) {
            JsonNode operation = paths.get(route.template()).get(methodOf(route));
            Optional<Scope> scope = route.scope();
            if (scope.isPresent()) {
                assertThat(operation.path("description").asText())
                        .as(route.template())
                        .contains("the scope " + JsonName.of(scope.get()));
            } else {
                assertThat(operation.get("security")).as(route.template()).isEmpty();
            }
        }
    }

    @Test
    void everyReferenceLeadsSomewhere() throws IOException {
        JsonNode document = document();
        for (String reference : document.findValuesAsText("$ref")) {
            assertThat(document.at(reference.substring(1)).isMissingNode()).as(reference).isFalse();
        }
    }

    @Test
    void theVerdictsOfAChangeAreThoseThatAreAnswered() throws IOException {
        JsonNode change = document().at("/components/schemas/SpecChange/properties");
        List<String> verdicts = Stream.of(SpecChange.Verdict.values()).map(JsonName::of).toList();
        assertThat(words(document().at("/components/schemas/ChangedField/properties/verdict/enum")))
                .isEqualTo(verdicts);
        assertThat(words(change.at("/change/enum")))
                .containsExactly("created", "unchanged", verdicts.get(0), verdicts.get(1));
    }

    @Test
    void theActionsOfACommandAreThoseOfTheRollout() throws IOException {
        assertThat(
                        words(
                                document()
                                        .at(
                                                "/components/schemas/RolloutRequest/properties/action/enum")))
                .isEqualTo(Stream.of(RolloutCommand.Action.values()).map(JsonName::of).toList());
    }

    @Test
    void everyObjectIsANamedSchema() throws IOException {
        List<String> inline = new ArrayList<>();
        JsonNode document = document();
        collectInline(document.get("paths"), "paths", inline);
        for (JsonNode kind : document.get("components")) {
            for (Map.Entry<String, JsonNode> named : kind.properties()) {
                named.getValue().forEach(it -> collectInline(it, named.getKey(), inline));
            }
        }
        assertThat(inline).as("generated clients would invent names").isEmpty();
    }

    /** Adds objects that are neither a named schema nor a map with one type of values. */
    private static void collectInline(JsonNode node, String path, List<String> inline) {
        if (node.path("type").asText().equals("object")
                && !node.path("additionalProperties").isObject()) {
            inline.add(path);
        }
        node.properties()
                .forEach(it -> collectInline(it.getValue(), path + "/" + it.getKey(), inline));
        if (node.isArray()) {
            node.forEach(it -> collectInline(it, path, inline));
        }
    }

    @Test
    void everyOperationHasAnIdOfItsOwnAndAKnownTag() throws IOException {
        JsonNode document = document();
        List<String> tags = document.get("tags").findValuesAsText("name");
        List<String> ids = new ArrayList<>();
        for (Endpoint route : routes()) {
            JsonNode operation = document.get("paths").get(route.template()).get(methodOf(route));
            ids.add(operation.path("operationId").asText());
            assertThat(words(operation.path("tags")))
                    .as(route.template())
                    .hasSize(1)
                    .isSubsetOf(tags);
        }
        assertThat(ids).doesNotHaveDuplicates().doesNotContain("");
    }

    @Test
    void theSpecHasAllSettingsAndOnlyThese() throws IOException {
        TreeSet<String> described = new TreeSet<>();
        spec().fieldNames().forEachRemaining(described::add);
        TreeSet<String> settings = new TreeSet<>(List.of("loop", "version", "time"));
        LoopSettings.ALL.forEach(it -> settings.add(it.name()));
        assertThat(described).isEqualTo(settings);
    }

    static Stream<Setting<?>> settings() {
        return LoopSettings.ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("settings")
    <T> void aSettingHasTheTypeRangeDefaultAndDescriptionOfTheTable(Setting<T> setting)
            throws IOException {
        JsonNode schema = spec().get(setting.name());
        assertThat(schema.path("description").asText())
                .isEqualTo(setting.description().replace("`", ""));
        switch (setting.kind()) {
            case NUMBER -> assertThat(schema.get("type").asText()).isEqualTo("number");
            case WHOLE -> assertThat(schema.get("type").asText()).isEqualTo("integer");
            case FLAG -> assertThat(schema.get("type").asText()).isEqualTo("boolean");
            case DURATION, WORD -> assertThat(schema.get("type").asText()).isEqualTo("string");
            case OPTIONAL_NUMBER ->
                    assertThat(words(schema.get("type"))).containsExactly("number", "null");
            case OPTIONAL_WHOLE ->
                    assertThat(words(schema.get("type"))).containsExactly("integer", "null");
            case INTERACTIONS, ACTIONS, REWARD_RANGE ->
                    assertThat(schema.get("type").asText()).isEqualTo("array");
            case SNAPSHOT -> assertThat(schema.at("/anyOf/0/$ref").asText()).endsWith("/Snapshot");
        }
        assertThat(rangeOf(schema)).isEqualTo(rangeOf(setting));
        String byDefault = setting.show(setting.defaultValue());
        if (setting.kind() == Setting.Kind.ACTIONS || byDefault.equals("none")) {
            assertThat(schema.has("default")).isFalse();
        } else if (schema.get("default").isNumber()) {
            assertThat(schema.get("default").asDouble()).isEqualTo(Double.parseDouble(byDefault));
        } else if (schema.get("default").isArray()) {
            assertThat(schema.get("default").toString().replace(".0", "")) // Java needs the .0
                    .isEqualTo(byDefault.replace(" ", ""));
        } else {
            assertThat(schema.get("default").asText()).isEqualTo(byDefault);
        }
    }

    /** Without a format, generated clients choose types that are too small. */
    @Test
    void numbersHaveAFormat() throws IOException {
        List<String> without = new ArrayList<>();
        collectNumbers(document().get("components"), "", without);
        assertThat(without).isEmpty();
    }

    private static void collectNumbers(JsonNode node, String path, List<String> without) {
        String type = node.path("type").toString();
        boolean large = node.path("maximum").asDouble(Double.MAX_VALUE) > Integer.MAX_VALUE;
        if (type.contains("\"number\"") && !node.path("format").asText().equals("double")) {
            without.add(path);
        }
        if (type.contains("\"integer\"") && node.has("default") && large) {
            assertThat(node.path("format").asText()).as(path).isEqualTo("int64");
        }
        node.properties()
                .forEach(it -> collectNumbers(it.getValue(), path + "/" + it.getKey(), without));
    }

    private static JsonNode spec() throws IOException {
        return document().at("/components/schemas/LoopSpec/properties");
    }

    /** The range as the table writes it, such as {@code in (0.0, 1.0]}. */
    private static String rangeOf(JsonNode schema) {
        if (schema.has("enum")) {
            return String.join(", ", words(schema.get("enum")));
        }
        boolean open = schema.has("exclusiveMinimum");
        if (!open && !schema.has("minimum")) {
            return "";
        }
        double min = schema.get(open ? "exclusiveMinimum" : "minimum").asDouble();
        return schema.has("maximum")
                ? "in %s%s, %s]".formatted(open ? "(" : "[", min, schema.get("maximum").asDouble())
                : "at least " + min;
    }

    private static String rangeOf(Setting<?> setting) {
        return setting.kind() == Setting.Kind.WORD
                ? setting.range()
                : NUMBER.matcher(setting.range())
                        .replaceAll(it -> Double.toString(Double.parseDouble(it.group())));
    }

    /** The names are where the problems are thrown, so the sources are the list of them. */
    @Test
    void everyTypeOfProblemIsDescribed() throws IOException {
        Pattern thrown = Pattern.compile("new ProblemException\\(\\s*\\d{3},\\s*\"([a-z-]+)\"");
        TreeSet<String> types = new TreeSet<>();
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
            for (Path source : sources.filter(it -> it.toString().endsWith(".java")).toList()) {
                thrown.matcher(Files.readString(source))
                        .results()
                        .forEach(it -> types.add("urn:counterflow:problem:" + it.group(1)));
            }
        }
        assertThat(words(document().at("/components/schemas/Problem/properties/type/enum")))
                .containsExactlyElementsOf(types);
    }

    @Test
    void theKindsOfARolloutAreThoseOfTheRecord() throws IOException {
        assertThat(words(document().at("/components/schemas/Rollout/properties/kind/enum")))
                .isEqualTo(Stream.of(RolloutKindRecord.values()).map(JsonName::of).toList());
    }

    private static List<String> words(JsonNode array) {
        return array.valueStream().map(JsonNode::asText).toList();
    }

    @Test
    void aPipelineWritesDurationsAsSpecsDo() throws IOException {
        LoopSpec spec =
                PolicyStoreFixture.spec(
                        1, "{\"bits\":10,\"snapshotExamples\":0,\"snapshotInterval\":\"1h30m\"}");
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            PipelineJson.write(
                    new LoopPipelines(
                            new LoopFlows(Clock.systemUTC()),
                            new JobCounts(),
                            OpenApiTest::noJob,
                            Clock.systemUTC()),
                    new PolicyStoreFixture().spec(spec).served(),
                    Caller.anyone(),
                    json);
        }
        JsonNode pipeline = new ObjectMapper().readTree(text.toString());
        assertThat(pipeline.at("/learning/snapshotInterval").asText()).isEqualTo("1h30m");
        assertThat(DurationText.parse(pipeline.get("countsCover").asText())).isPositive();
        assertThat(pipeline.get("countsCover").asText()).doesNotStartWith("P");
    }

    private static String methodOf(Endpoint route) {
        return route.method().name().toLowerCase(Locale.ROOT);
    }
}
