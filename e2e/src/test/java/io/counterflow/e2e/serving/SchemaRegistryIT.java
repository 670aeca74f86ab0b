package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Job and serving with Apicurio Registry, which runs as a process of its own. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
final class SchemaRegistryIT {

    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");
    private static final Pattern LISTENING =
            Pattern.compile("Listening on: (http://127\\.0\\.0\\.1:\\d+)");
    private static final String LOOP = "/v1/loops/front-page";
    private static final int DECISIONS = 20;
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir private Path directory;

    private Process registry;

    @BeforeEach
    void startRegistry() throws IOException {
        Path jar;
        try (Stream<Path> files = Files.list(Path.of("target/apicurio-registry"))) {
            jar = files.filter(it -> it.toString().endsWith("-runner.jar")).findAny().orElseThrow();
        }
        registry =
                new ProcessBuilder(
                                JAVA.toString(),
                                "-Xmx256m",
                                "-XX:TieredStopAtLevel=1",
                                "-Dquarkus.http.host=127.0.0.1",
                                "-Dquarkus.http.port=0",
                                "-Dquarkus.log.category.\"io.quarkus\".level=INFO", // its port
                                "-jar",
                                jar.toAbsolutePath().toString())
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log().toFile())
                        .start();
    }

    @AfterEach
    void stopRegistry() throws InterruptedException {
        registry.destroy();
        if (!registry.waitFor(20, TimeUnit.SECONDS)) {
            registry.destroyForcibly().waitFor();
        }
    }

    private Path log() {
        return directory.resolve("registry.log");
    }

    /** The registry's API in the form of Confluent, once it answers. */
    private String api() throws IOException {
        RunningServing.await("the registry", () -> address().isPresent() || !registry.isAlive());
        return address().orElseThrow(() -> new AssertionError("the registry has ended"))
                + "/apis/ccompat/v7";
    }

    private Optional<String> address() {
        try {
            Matcher listening = LISTENING.matcher(Files.readString(log()));
            return listening.find() ? Optional.of(listening.group(1)) : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void anyReaderThatKnowsTheRegistryReadsEveryTopic(SharedKafka kafka, EmbeddedFlink flink)
            throws Exception {
        try (RunningServing before = RunningServing.start(kafka, "")) {
            assertThat(
                            before.put(
                                            LOOP,
                                            "{\"bits\":8,\"snapshotExamples\":10,\"attributionWindow\":\"1s\"}")
                                    .statusCode())
                    .isEqualTo(201);
        }
        Map<Topic, Map<Integer, Long>> start = ends(kafka);
        String api = api();
        String settings = "schemas.encoding: confluent\nschemas.registry-url: %s\n".formatted(api);
        RunningJob job = RunningJob.start(kafka, flink, directory.resolve("storage"), settings);
        try (RunningServing serving = RunningServing.start(kafka, settings)) {
            for (int i = 0; i < DECISIONS; i++) {
                decide(serving, "e-" + i);
            }
            RunningServing.await("a version", () -> hasVersion(serving));
        } finally {
            job.stop();
        }
        Map<Topic, List<GenericRecord>> records = read(kafka, start, api);
        assertThat(records.keySet())
                .contains(
                        Topic.IMPRESSIONS,
                        Topic.REWARDS,
                        Topic.JOURNAL,
                        Topic.POLICY_SNAPSHOTS,
                        Topic.ROLLOUTS,
                        Topic.LOOP_COUNTS,
                        Topic.CHECKPOINTS);
        assertThat(records.get(Topic.JOURNAL))
                .filteredOn(it -> it.get("kind").toString().equals("EXAMPLE"))
                .isNotEmpty()
                .allSatisfy(it -> assertThat(it.get("loop")).hasToString("front-page"))
                .extracting(it -> ((ByteBuffer) it.get("record")).getShort(0))
                .as("values inside of others are in single-object encoding")
                .containsOnly((short) 0xC301);
        assertThat(get(api + "/subjects"))
                .contains(
                        "\"%s.journal-value\"".formatted(kafka.prefix()),
                        "\"%s.impressions-value\"".formatted(kafka.prefix()));
    }

    private static void decide(RunningServing serving, String eventId) throws Exception {
        HttpResponse<String> answer =
                serving.post(
                        LOOP + "/rank",
                        "{\"eventId\":\"%s\",\"context\":{\"features\":{}},\"actions\":[{\"id\":\"a\"},{\"id\":\"b\"}]}"
                                .formatted(eventId));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(
                        serving.post(LOOP + "/events/" + eventId + "/reward", "{\"value\":1}")
                                .statusCode())
                .isEqualTo(202);
    }

    private static boolean hasVersion(RunningServing serving) {
        try {
            JsonNode policies = RunningServing.json(serving.get(LOOP + "/policies"));
            return policies.findValues("version").stream().anyMatch(it -> it.asLong() > 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static Map<Topic, Map<Integer, Long>> ends(SharedKafka kafka) {
        Map<Topic, Map<Integer, Long>> ends = new HashMap<>();
        try (TopicReader reader = new TopicReader(kafka.config())) {
            for (Topic topic : Topic.values()) {
                ends.put(topic, reader.ends(kafka.topics().name(topic)));
            }
        }
        return ends;
    }

    /** Reads as tools do that know the registry alone. */
    private static Map<Topic, List<GenericRecord>> read(
            SharedKafka kafka, Map<Topic, Map<Integer, Long>> start, String api) {
        Map<Integer, Schema> schemas = new HashMap<>();
        Map<Topic, List<GenericRecord>> records = new TreeMap<>();
        try (TopicReader reader = new TopicReader(kafka.config())) {
            for (Topic topic : Topic.values()) {
                reader.read(
                        kafka.topics().name(topic),
                        start.getOrDefault(topic, Map.of()),
                        record -> {
                            if (record.value() != null) {
                                records.computeIfAbsent(topic, it -> new ArrayList<>())
                                        .add(decode(record.value(), schemas, api));
                            }
                        });
            }
        }
        return records;
    }

    private static GenericRecord decode(byte[] value, Map<Integer, Schema> schemas, String api) {
        ByteBuffer bytes = ByteBuffer.wrap(value);
        assertThat(bytes.get()).isZero();
        Schema schema =
                schemas.computeIfAbsent(
                        bytes.getInt(),
                        id -> {
                            try {
                                return new Schema.Parser()
                                        .parse(
                                                JSON.readTree(get(api + "/schemas/ids/" + id))
                                                        .get("schema")
                                                        .asText());
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
        BinaryDecoder body = DecoderFactory.get().binaryDecoder(value, 5, value.length - 5, null);
        try {
            GenericRecord record = new GenericDatumReader<GenericRecord>(schema).read(null, body);
            assertThat(body.isEnd()).isTrue();
            return record;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String get(String uri) {
        try {
            HttpResponse<String> response =
                    HTTP.send(
                            HttpRequest.newBuilder(URI.create(uri)).GET().build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).as(uri).isEqualTo(200);
            return response.body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
