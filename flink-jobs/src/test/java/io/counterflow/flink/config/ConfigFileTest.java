package io.counterflow.flink.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.flink.ingest.IngestLimits;
import io.counterflow.flink.ingest.WatermarkConfig;
import io.counterflow.flink.join.JoinConfig;
import io.counterflow.flink.loop.LoopOperatorConfig;
import io.counterflow.flink.sinks.Compression;
import io.counterflow.flink.sinks.SinkConfig;
import io.counterflow.flink.windows.IpsWindowsConfig;
import io.counterflow.flink.windows.WindowConfig;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.TopicSettings;
import io.counterflow.schemas.topics.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ConfigFileTest {

    /** Every key, each with a value that is not its default. */
    private static final Map<String, String> EVERY_KEY =
            Map.ofEntries(
                    Map.entry("kafka.bootstrap-servers", "a:1,b:2"),
                    Map.entry("kafka.topic-prefix", "shop"),
                    Map.entry("kafka.create-topics", "false"),
                    Map.entry("kafka.event-partitions", "3"),
                    Map.entry("kafka.partitions", "2"),
                    Map.entry("kafka.replication-factor", "5"),
                    Map.entry("kafka.feedback-retention", "2d"),
                    Map.entry("kafka.log-retention", "10d"),
                    Map.entry("ingest.max-record-size", "300000b"),
                    Map.entry("ingest.max-name-length", "100"),
                    Map.entry("ingest.max-clock-skew", "7s"),
                    Map.entry("ingest.max-attribution-window", "8h"),
                    Map.entry("watermarks.max-out-of-orderness", "9s"),
                    Map.entry("watermarks.idle-timeout", "10s"),
                    Map.entry("watermarks.control-idle-timeout", "11s"),
                    Map.entry("watermarks.max-drift", "12s"),
                    Map.entry("join.impression-wait", "13s"),
                    Map.entry("join.max-feedback", "14"),
                    Map.entry("loop.cache-size", "15mb"),
                    Map.entry("loop.pending-size", "16mb"),
                    Map.entry("loop.buffer-size", "17mb"),
                    Map.entry("loop.kept-versions", "18"),
                    Map.entry("loop.max-loop-size", "44 mb"),
                    Map.entry("windows.size", "20s"),
                    Map.entry("windows.slide", "10s"),
                    Map.entry("windows.cache-size", "19mb"),
                    Map.entry("windows.metered-loops", "28"),
                    Map.entry("job.name", "autumn"),
                    Map.entry("job.parallelism", "21"),
                    Map.entry("job.max-parallelism", "256"),
                    Map.entry("job.state-backend", "hashmap"),
                    Map.entry("restart.initial-backoff", "22s"),
                    Map.entry("restart.max-backoff", "23s"),
                    Map.entry("restart.reset-after", "24s"),
                    Map.entry("checkpoint.interval", "25s"),
                    Map.entry("checkpoint.timeout", "26s"),
                    Map.entry("checkpoint.retained", "27"),
                    Map.entry("storage.directory", "s3://bucket/shop/"),
                    Map.entry("sink.transaction-timeout", "9m"),
                    Map.entry("sink.compression", "zstd"),
                    Map.entry("sink.max-record-size", "500000b"),
                    Map.entry("sink.max-inline-snapshot", "200000b"),
                    Map.entry("batch.topic-prefix", "shop-again"),
                    Map.entry("cluster.address", "flink:80"));

    private static final JobConfig EVERY_FIELD =
            new JobConfig(
                    new KafkaConfig("a:1,b:2", Map.of()),
                    new Topics("shop"),
                    new Topics("shop-again"),
                    new TopicSettings(3, 2, 5, Duration.ofDays(2), Duration.ofDays(10), 500_000),
                    false,
                    new IngestLimits(300_000, 100, Duration.ofSeconds(7), Duration.ofHours(8)),
                    new WatermarkConfig(
                            Duration.ofSeconds(9),
                            Duration.ofSeconds(10),
                            Duration.ofSeconds(12),
                            Duration.ofSeconds(11)),
                    new JoinConfig(Duration.ofSeconds(13), 14, 500_000),
                    new LoopOperatorConfig(15L << 20, 16L << 20, 17L << 20, 18, 44L << 20),
                    new IpsWindowsConfig(
                            new WindowConfig(Duration.ofSeconds(20), Duration.ofSeconds(10)),
                            19L << 20,
                            28),
                    new SinkConfig(
                            "autumn",
                            Duration.ofMinutes(9),
                            Compression.ZSTD,
                            500_000,
                            200_000,
                            "s3://bucket/shop/snapshots"),
                    new RunSettings(
                            21,
                            256,
                            StateBackendKind.HASHMAP,
                            new RunSettings.Checkpoints(
                                    Duration.ofSeconds(25),
                                    Duration.ofSeconds(26),
                                    27,
                                    "s3://bucket/shop/autumn/checkpoints",
                                    "s3://bucket/shop/autumn/savepoints"),
                            new RunSettings.Restart(
                                    Duration.ofSeconds(22),
                                    Duration.ofSeconds(23),
                                    Duration.ofSeconds(24)),
                            "flink:80"));

    private static JobConfig parse(String yaml) {
        return ConfigFile.parse(yaml, Map.of());
    }

    @Test
    void anEmptyFileIsAllDefaults() {
        String storage = Path.of("counterflow-data").toAbsolutePath().toUri().toString();
        storage = storage.endsWith("/") ? storage.substring(0, storage.length() - 1) : storage;
        assertThat(parse(""))
                .isEqualTo(
                        new JobConfig(
                                new KafkaConfig("localhost:9092", Map.of()),
                                new Topics("counterflow"),
                                new Topics("counterflow.batch"),
                                new TopicSettings(
                                        8,
                                        4,
                                        0,
                                        Duration.ofDays(7),
                                        Duration.ofDays(90),
                                        1_000_000),
                                true,
                                new IngestLimits(
                                        950_000, 512, Duration.ofMinutes(1), Duration.ofDays(30)),
                                WatermarkConfig.defaults(),
                                JoinConfig.defaults(),
                                LoopOperatorConfig.defaults(),
                                IpsWindowsConfig.defaults(),
                                new SinkConfig(
                                        "counterflow",
                                        Duration.ofMinutes(10),
                                        Compression.LZ4,
                                        1_000_000,
                                        500_000,
                                        storage + "/snapshots"),
                                new RunSettings(
                                        0,
                                        128,
                                        StateBackendKind.ROCKSDB,
                                        new RunSettings.Checkpoints(
                                                Duration.ofSeconds(10),
                                                Duration.ofMinutes(5),
                                                3,
                                                storage + "/counterflow/checkpoints",
                                                storage + "/counterflow/savepoints"),
                                        new RunSettings.Restart(
                                                Duration.ofSeconds(1),
                                                Duration.ofMinutes(1),
                                                Duration.ofMinutes(10)),
                                        "localhost:8081")));
    }

    @Test
    void everyKeyReachesItsField() {
        StringBuilder yaml = new StringBuilder();
        EVERY_KEY.forEach((key, value) -> yaml.append(key).append(": ").append(value).append('\n'));
        assertThat(EVERY_KEY.keySet())
                .isEqualTo(
                        new HashSet<>(
                                ConfigFile.options().stream().map(ConfigOption::key).toList()));
        assertThat(parse(yaml.toString())).isEqualTo(EVERY_FIELD);
    }

    @Test
    void everyKeyHasAVariableOfItsOwnThatWinsOverTheFile() {
        Map<String, String> environment = new HashMap<>();
        EVERY_KEY.forEach((key, value) -> environment.put(ConfigFile.variable(key), value));
        assertThat(environment).hasSameSizeAs(EVERY_KEY);
        assertThat(ConfigFile.parse("kafka.topic-prefix: other", environment))
                .isEqualTo(EVERY_FIELD);
    }

    @ParameterizedTest
    @CsvSource({"90s", "1m30s", "PT90S", "1m29s1000ms"})
    void aDurationMayHaveSeveralUnits(String text) {
        assertThat(parse("watermarks.max-drift: " + text).watermarks().maxDrift())
                .isEqualTo(Duration.ofSeconds(90));
    }

    @Test
    void nestedMapsAndDotsMeanTheSame() {
        assertThat(parse("kafka:\n  topic-prefix: shop\n  client.security.protocol: SSL\n"))
                .isEqualTo(
                        parse("kafka.topic-prefix: shop\nkafka.client.security.protocol: SSL\n"));
    }

    @Test
    void settingsOfKafkasClientsPassThroughAndStaySecret() {
        KafkaConfig kafka =
                ConfigFile.parse(
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
    void whatBelongsToServingIsPassedOver() {
        assertThat(parse("serving:\n  port: 8080\n")).isEqualTo(parse(""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kafka.topic-prefx: a|unknown key kafka.topic-prefx; did you mean kafka.topic-prefix?",
                "colour: red|unknown key colour",
                "job: [1, 2]|job must be one value, got a list",
                "job.name:|job.name must be one value, got nothing",
                "job.name: a b|deployment must match [A-Za-z0-9][A-Za-z0-9._-]{0,99}, got \"a b\"",
                "just text|the file must be a map of keys",
                "kafka.topic-prefix: a/b|topic prefix must match [A-Za-z0-9][A-Za-z0-9._-]{0,199}, got \"a/b\"",
                "batch.topic-prefix: counterflow|batch.topic-prefix must differ from kafka.topic-prefix, got \"counterflow\" for both",
                "checkpoint.timeout: 11m|sink.transaction-timeout must be above checkpoint.interval and checkpoint.timeout together, 11m10s, got 10m",
                "sink.transaction-timeout: 15m|transactionTimeout must be above zero and below the 15m that brokers allow, got 15m",
                "sink.max-inline-snapshot: 2mb|maxInlineSnapshotBytes must be between 0 and maxRecordBytes, 1000000, got 2097152",
                "job.parallelism: 129|parallelism must be between 0 and maxParallelism, 128, got 129",
                "ingest.max-record-size: 3gb|ingest.max-record-size must be below 2 GiB, got 3221225472 bytes"
            })
    void whatCannotBeUsedIsNamed(String yaml, String message) {
        assertThatThrownBy(() -> parse(yaml))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "job.parallelism: many|job.parallelism must be a whole number, got \"many\"",
                "checkpoint.interval: soon|checkpoint.interval must be a duration like 30s, 10m or 1h30m, got \"soon\"",
                "checkpoint.interval: 5min|checkpoint.interval must be a duration like 30s, 10m or 1h30m, got \"5min\"",
                "checkpoint.interval: 30|checkpoint.interval must be a duration like 30s, 10m or 1h30m, got \"30\"",
                "checkpoint.interval: -PT5S|checkpoint.interval must be a duration like 30s, 10m or 1h30m, got \"-PT5S\"",
                "checkpoint.interval: 999999999999999d|checkpoint.interval must be a duration like",
                "loop.cache-size: big|loop.cache-size must be a size such as 500kb or 64mb, got \"big\"",
                "kafka.create-topics: maybe|kafka.create-topics must be true or false, got \"maybe\"",
                "sink.compression: gzip|sink.compression must be none or lz4 or zstd, got \"gzip\"",
                "a: {|the file must be YAML"
            })
    void whatCannotBeReadIsNamed(String yaml, String beginning) {
        assertThatThrownBy(() -> parse(yaml))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(beginning);
    }

    @Test
    void aKeyThatIsGivenTwiceIsAMistake() {
        assertThatThrownBy(() -> parse("job.name: a\njob.name: b\n"))
                .hasMessageStartingWith("the file must be YAML: Duplicate");
        assertThatThrownBy(() -> parse("job.name: a\njob:\n  name: b\n"))
                .hasMessage("job.name must be given once, got it twice");
    }

    @Test
    void aRetiredKeyNamesItsSuccessor() {
        assertThatThrownBy(
                        () ->
                                ConfigFile.parse(
                                        "job.threads: 3",
                                        Map.of(),
                                        Map.of("job.threads", "job.parallelism")))
                .hasMessage("job.threads is no more; use job.parallelism");
    }

    @Test
    void aVariableThatLooksLikeOursIsAMistakeAndOthersAreNotOurs() {
        Map<String, String> others =
                Map.of(
                        "COUNTERFLOW_DEBUG", "1",
                        "COUNTERFLOW_JAVA_OPTS", "-Xmx1g",
                        "COUNTERFLOW_SKIP_BUILD", "1",
                        "PATH", "/bin");
        assertThat(ConfigFile.parse("", others)).isEqualTo(parse(""));
        assertThatThrownBy(() -> ConfigFile.parse("", Map.of("COUNTERFLOW_JOB_NAMES", "x")))
                .hasMessage(
                        "unknown variable COUNTERFLOW_JOB_NAMES; did you mean COUNTERFLOW_JOB_NAME?");
    }

    @Test
    void twoDeploymentsNeverShareTheBeginningOfATransactionsName() {
        Set<String> prefixes = new HashSet<>();
        for (String name : List.of("a", "ab", "a.b")) {
            JobConfig config = parse("job.name: " + name);
            prefixes.add(config.sink().transactionalIdPrefix(config.topics()));
            prefixes.add(config.sink().transactionalIdPrefix(config.batchTopics()));
        }
        assertThat(prefixes).hasSize(6);
        for (String prefix : prefixes) {
            assertThat(prefixes).filteredOn(it -> it.startsWith(prefix)).hasSize(1);
        }
    }
}
