package io.counterflow.schemas.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.schemas.registry.ConfluentEncoding;
import io.counterflow.schemas.topics.Compression;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.ValueEncoding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ConfigValuesTest {

    private static ConfigValues job(String yaml) {
        return ConfigValues.parse(Component.JOB, yaml, Map.of());
    }

    private static ConfigValues serving(String yaml) {
        return ConfigValues.parse(Component.SERVING, yaml, Map.of());
    }

    @Test
    void aFileIsReadLikeItsText(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("c.yaml"), "job.name: autumn");
        assertThat(ConfigValues.read(Component.JOB, file, Map.of()).get(Options.JOB_NAME))
                .isEqualTo("autumn");
    }

    @Test
    void aKeyThatIsNotSetHasItsDefault() {
        assertThat(job("").get(Options.JOB_NAME)).isEqualTo("counterflow");
        assertThat(serving("").find(Options.TOKENS_FILE)).isEmpty();
        assertThat(serving("serving.tokens-file: t").find(Options.TOKENS_FILE)).hasValue("t");
    }

    @Test
    void aVariableOverridesTheFile() {
        ConfigValues values =
                ConfigValues.parse(
                        Component.SERVING,
                        "serving.port: 1",
                        Map.of("COUNTERFLOW_SERVING_PORT", "2"));
        assertThat(values.get(Options.PORT)).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"90s", "1m30s", "PT90S", "1m29s1000ms"})
    void aDurationMayHaveSeveralUnits(String text) {
        assertThat(job("watermarks.max-drift: " + text).get(Options.MAX_DRIFT))
                .isEqualTo(Duration.ofSeconds(90));
    }

    @ParameterizedTest
    @CsvSource({
        "7, 7",
        "7b, 7",
        "7 bytes, 7",
        "2k, 2048",
        "2 KB, 2048",
        "3mb, 3145728",
        "1gb, 1073741824",
        "1tb, 1099511627776"
    })
    void aSizeIsANumberAndAUnit(String text, long bytes) {
        assertThat(job("loop.cache-size: " + text).get(Options.LOOP_CACHE)).isEqualTo(bytes);
    }

    @Test
    void flagsAndChoicesIgnoreCase() {
        assertThat(job("kafka.create-topics: FALSE").get(Options.CREATE_TOPICS)).isFalse();
        assertThat(job("kafka.compression: Zstd").get(Options.COMPRESSION))
                .isEqualTo(Compression.ZSTD);
    }

    @Test
    void nestedMapsAndDotsMeanTheSame() {
        ConfigValues nested =
                job("kafka:\n  topic-prefix: shop\n  client.security.protocol: SSL\n");
        ConfigValues dotted =
                job("kafka.topic-prefix: shop\nkafka.client.security.protocol: SSL\n");
        assertThat(nested.topics()).isEqualTo(dotted.topics());
        assertThat(nested.kafka()).isEqualTo(dotted.kafka());
    }

    @Test
    void settingsOfKafkaClientsArePassedOnAndStaySecret() {
        KafkaConfig kafka =
                ConfigValues.parse(
                                Component.JOB,
                                "kafka.client.security.protocol: SASL_SSL",
                                Map.of("COUNTERFLOW_KAFKA_CLIENT_SASL_JAAS_CONFIG", "s3cret"))
                        .kafka();
        assertThat(kafka.properties())
                .containsEntry("security.protocol", "SASL_SSL")
                .containsEntry("sasl.jaas.config", "s3cret")
                .containsEntry("bootstrap.servers", "localhost:9092");
        assertThat(kafka.toString()).doesNotContain("s3cret");
    }

    @Test
    void producersOfJobAndServingAreToldTheCompressionAndAreSafe() {
        String yaml =
                "kafka:\n  compression: gzip\n  client.acks: 0\n  client.compression.type: lz4\n";
        for (ConfigValues values : List.of(job(yaml), serving(yaml))) {
            assertThat(values.kafka().producerProperties())
                    .containsEntry("compression.type", "gzip")
                    .containsEntry("acks", "all")
                    .containsEntry("enable.idempotence", "true")
                    .containsEntry("bootstrap.servers", "localhost:9092");
        }
        assertThat(serving("").kafka().producerProperties())
                .containsEntry("compression.type", "none");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "encoding: confluent|schemas.registry-url must be given with schemas.encoding: confluent, got none",
                "{encoding: confluent, registry-url: 'registry:8081'}|schemas.registry-url must be like http://host:port/path, got something else",
                "{encoding: confluent, registry-url: 'http://a:s3cret@b'}|schemas.registry-url must be like http://host:port/path, got something else",
                "{encoding: confluent, registry-url: 'http://a b'}|schemas.registry-url must be like http://host:port/path, got something else",
                "{encoding: confluent, registry-url: 'http://a', registry-credentials: s3cret}|schemas.registry-credentials must be user:password, got something else"
            })
    void aRegistryNeedsAnAddress(String schemas, String message) {
        String yaml = "schemas: " + (schemas.startsWith("{") ? schemas : "{" + schemas + "}");
        for (ConfigValues values : List.of(job(yaml), serving(yaml))) {
            assertThatThrownBy(values::kafka)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(message);
        }
    }

    @Test
    void theEncodingOfJobAndServingIsTheSame() {
        String yaml = "schemas: {encoding: confluent, registry-url: 'http://registry:8081'}";
        assertThat(job(yaml).kafka().values())
                .isEqualTo(serving(yaml).kafka().values())
                .isInstanceOf(ConfluentEncoding.class);
        assertThat(job("").kafka().values()).isEqualTo(ValueEncoding.SingleObject.INSTANCE);
    }

    @Test
    void theJobIgnoresAllKeysUnderServing() {
        assertThat(job("serving:\n  port: 8080\n  prot: 1\n").get(Options.JOB_NAME))
                .isEqualTo("counterflow");
    }

    @Test
    void servingIgnoresAllKeysOutsideKafkaAndServing() {
        assertThat(serving("checkpoint.interval: 1s\ncolour: red").get(Options.PORT))
                .isEqualTo(8080);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kafka.topic-prefx: a|unknown key kafka.topic-prefx; did you mean kafka.topic-prefix?",
                "colour: red|unknown key colour",
                "job: [1, 2]|job must be one value, got a list",
                "job.name:|job.name must be one value, got nothing",
                "just text|the file must be a map of keys",
                "job.parallelism: many|job.parallelism must be a whole number, got \"many\"",
                "job.parallelism: -1|job.parallelism must be at least 0, got -1",
                "job.max-parallelism: 32769|job.max-parallelism must be between 1 and 32768, got 32769",
                "checkpoint.interval: soon|checkpoint.interval must be a duration like 30s, 10m or 1h30m, got \"soon\"",
                "checkpoint.interval: 5min|checkpoint.interval must be a duration like 30s, 10m or 1h30m, got \"5min\"",
                "checkpoint.interval: 30|checkpoint.interval must be a duration like 30s, 10m or 1h30m, got \"30\"",
                "checkpoint.interval: -PT5S|checkpoint.interval must be a duration like 30s, 10m or 1h30m, got \"-PT5S\"",
                "checkpoint.interval: 999999999999999d|checkpoint.interval must be a duration like 30s, 10m or 1h30m, got \"999999999999999d\"",
                "checkpoint.interval: 0s|checkpoint.interval must be above 0s, got 0s",
                "watermarks.max-drift: 0s|watermarks.max-drift must be above 0s, got 0s",
                "loop.cache-size: 0|loop.cache-size must be at least 1b, got 0",
                "windows.metered-loops: -1|windows.metered-loops must be at least 0, got -1",
                "loop.cache-size: big|loop.cache-size must be a size like 500kb or 64mb, got \"big\"",
                "loop.cache-size: 9999999tb|loop.cache-size must be a size like 500kb or 64mb, got \"9999999tb\"",
                "loop.cache-size: 0|loop.cache-size must be at least 1b, got 0",
                "ingest.max-record-size: 3gb|ingest.max-record-size must be a size like 500kb or 64mb, below 2gb, got \"3gb\"",
                "kafka.create-topics: maybe|kafka.create-topics must be true or false, got \"maybe\"",
                "kafka.compression: snappy|kafka.compression must be none or gzip or lz4 or zstd, got \"snappy\"",
                "schemas.encoding: avro|schemas.encoding must be single-object or confluent, got \"avro\"",
                "schemas.enconding: confluent|unknown key schemas.enconding; did you mean schemas.encoding?",
                "sink.compression: lz4|sink.compression was removed; use kafka.compression"
            })
    void anInvalidKeyOrValueIsNamedInTheMessage(String yaml, String message) {
        assertThatThrownBy(() -> job(yaml))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "serving.prot: 1|unknown key serving.prot; did you mean serving.port?",
                "serving.port: many|serving.port must be a whole number, got \"many\"",
                "serving.port: 70000|serving.port must be between 0 and 65535, got 70000",
                "serving.rewards.timeout: 9ms|serving.rewards.timeout must be at least 10ms, got 9ms",
                "serving.auth: maybe|serving.auth must be tokens or none, got \"maybe\""
            })
    void servingNamesInvalidKeysAndValuesToo(String yaml, String message) {
        assertThatThrownBy(() -> serving(yaml))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void aFileThatIsNotYamlIsRefused() {
        assertThatThrownBy(() -> job("a: {")).hasMessageStartingWith("the file must be YAML: ");
    }

    @Test
    void aKeyThatIsGivenTwiceIsRefused() {
        assertThatThrownBy(() -> job("job.name: a\njob.name: b\n"))
                .hasMessageStartingWith("the file must be YAML: Duplicate");
        assertThatThrownBy(() -> job("job.name: a\njob:\n  name: b\n"))
                .hasMessage("job.name must be given once, got it twice");
    }

    @Test
    void aRemovedKeyIsRefusedWithItsReplacement() {
        assertThatThrownBy(
                        () ->
                                ConfigValues.parse(
                                        Component.JOB,
                                        "job.threads: 3",
                                        Map.of(),
                                        Map.of("job.threads", "job.parallelism")))
                .hasMessage("job.threads was removed; use job.parallelism");
    }

    @Test
    void aMisspelledVariableIsRefusedAndVariablesOfOtherProgramsAreIgnored() {
        Map<String, String> others =
                Map.of(
                        "COUNTERFLOW_DEBUG", "1",
                        "COUNTERFLOW_JAVA_OPTS", "-Xmx1g",
                        "COUNTERFLOW_SKIP_BUILD", "1",
                        "PATH", "/bin");
        assertThat(ConfigValues.parse(Component.JOB, "", others).get(Options.JOB_NAME))
                .isEqualTo("counterflow");
        assertThatThrownBy(
                        () ->
                                ConfigValues.parse(
                                        Component.JOB, "", Map.of("COUNTERFLOW_JOB_NAMES", "x")))
                .hasMessage(
                        "unknown variable COUNTERFLOW_JOB_NAMES; did you mean COUNTERFLOW_JOB_NAME?");
    }
}
