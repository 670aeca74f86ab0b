package io.counterflow.flink.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.flink.ingest.IngestLimits;
import io.counterflow.flink.ingest.WatermarkConfig;
import io.counterflow.flink.join.JoinConfig;
import io.counterflow.flink.loop.LoopOperatorConfig;
import io.counterflow.flink.sinks.SinkConfig;
import io.counterflow.flink.windows.IpsWindowsConfig;
import io.counterflow.flink.windows.WindowConfig;
import io.counterflow.schemas.config.Component;
import io.counterflow.schemas.config.Option;
import io.counterflow.schemas.config.StateBackendKind;
import io.counterflow.schemas.registry.ConfluentEncoding;
import io.counterflow.schemas.registry.RegistryAddress;
import io.counterflow.schemas.topics.Compression;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.TopicSettings;
import io.counterflow.schemas.topics.Topics;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class JobConfigTest {

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
                    Map.entry("watermarks.max-drift", "12s"),
                    Map.entry("join.impression-wait", "13s"),
                    Map.entry("join.max-feedback", "14"),
                    Map.entry("join.cache-size", "18mb"),
                    Map.entry("loop.cache-size", "15mb"),
                    Map.entry("loop.buffer-cache-size", "19mb"),
                    Map.entry("loop.spec-wait", "11s"),
                    Map.entry("loop.spec-wait-size", "16mb"),
                    Map.entry("loop.buffer-size", "17mb"),
                    Map.entry("loop.kept-versions", "18"),
                    Map.entry("loop.max-loop-size", "44 mb"),
                    Map.entry("windows.size", "20s"),
                    Map.entry("windows.slide", "10s"),
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
                    Map.entry("kafka.compression", "zstd"),
                    Map.entry("schemas.encoding", "confluent"),
                    Map.entry("schemas.registry-url", "https://registry/api"),
                    Map.entry("schemas.registry-credentials", "me:secret"),
                    Map.entry("sink.max-record-size", "500000b"),
                    Map.entry("sink.max-inline-snapshot", "200000b"),
                    Map.entry("batch.topic-prefix", "shop-again"),
                    Map.entry("cluster.address", "flink:80"));

    private static final JobConfig EVERY_FIELD =
            new JobConfig(
                    new KafkaConfig(
                            "a:1,b:2",
                            Map.of(),
                            Compression.ZSTD,
                            new ConfluentEncoding(
                                    new RegistryAddress(
                                            URI.create("https://registry/api"), "me:secret"))),
                    new Topics("shop"),
                    new Topics("shop-again"),
                    new TopicSettings(3, 2, 5, Duration.ofDays(2), Duration.ofDays(10), 500_000),
                    false,
                    new IngestLimits(300_000, 100, Duration.ofSeconds(7), Duration.ofHours(8)),
                    new WatermarkConfig(
                            Duration.ofSeconds(9), Duration.ofSeconds(10), Duration.ofSeconds(12)),
                    new JoinConfig(Duration.ofSeconds(13), 14, 18L << 20),
                    new LoopOperatorConfig(
                            15L << 20,
                            19L << 20,
                            Duration.ofSeconds(11),
                            16L << 20,
                            17L << 20,
                            18,
                            44L << 20),
                    new IpsWindowsConfig(
                            new WindowConfig(Duration.ofSeconds(20), Duration.ofSeconds(10)), 28),
                    new SinkConfig(
                            "autumn",
                            Duration.ofMinutes(9),
                            500_000,
                            200_000,
                            "s3://bucket/shop/autumn/snapshots"),
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
        return JobConfig.parse(yaml, Map.of());
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
                                new WatermarkConfig(
                                        Duration.ofSeconds(5),
                                        Duration.ofMinutes(1),
                                        Duration.ofMinutes(5)),
                                JoinConfig.defaults(),
                                LoopOperatorConfig.defaults(),
                                new IpsWindowsConfig(
                                        new WindowConfig(
                                                Duration.ofMinutes(5), Duration.ofMinutes(1)),
                                        100),
                                new SinkConfig(
                                        "counterflow",
                                        Duration.ofHours(6),
                                        1_000_000,
                                        500_000,
                                        storage + "/counterflow/snapshots"),
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
                        new HashSet<>(Component.JOB.options().stream().map(Option::key).toList()));
        assertThat(parse(yaml.toString())).isEqualTo(EVERY_FIELD);
    }

    @Test
    void theVariableOfEveryKeyOverridesTheFile() {
        Map<String, String> environment = new HashMap<>();
        Component.JOB
                .options()
                .forEach(it -> environment.put(it.variable(), EVERY_KEY.get(it.key())));
        assertThat(environment).hasSameSizeAs(EVERY_KEY);
        assertThat(JobConfig.parse("kafka.topic-prefix: other", environment))
                .isEqualTo(EVERY_FIELD);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "job.name: a b|job.name must be 1 to 100 letters, digits, dots, underscores or hyphens and start with a letter or digit, got \"a b\"",
                "kafka.topic-prefix: a/b|topic prefix must be 1 to 200 letters, digits, dots, underscores or hyphens and start with a letter or digit, got \"a/b\"",
                "batch.topic-prefix: counterflow|batch.topic-prefix must differ from kafka.topic-prefix, got \"counterflow\" for both",
                "storage.directory: ''|storage.directory must be given, got none",
                "checkpoint.timeout: 7h|sink.transaction-timeout must be above checkpoint.interval and checkpoint.timeout together, 7h10s, got 6h",
                "sink.max-record-size: 1kb|sink.max-record-size must be at least 150000b, got 1024b",
                "sink.max-inline-snapshot: 2mb|sink.max-inline-snapshot must be at most sink.max-record-size, 1000000b, got 2097152b",
                "restart.max-backoff: 500ms|restart.max-backoff must be at least restart.initial-backoff, 1s, got 500ms",
                "job.parallelism: 129|job.parallelism must be at most job.max-parallelism, 128, got 129"
            })
    void aValueThatContradictsAnotherIsNamedInTheMessage(String yaml, String message) {
        assertThatThrownBy(() -> parse(yaml))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void withoutIdlenessEverySubtaskNeedsAPartition() {
        String text =
                """
                watermarks.idle-timeout: 0s
                kafka.event-partitions: 2
                job.parallelism: %d
                """;
        assertThat(parse(text.formatted(2)).watermarks().idleTimeout()).isZero();
        assertThatThrownBy(() -> parse(text.formatted(3)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "job.parallelism must be at most kafka.event-partitions, 2, if watermarks.idle-timeout is 0s, got 3");
    }

    @Test
    void noTransactionalIdPrefixOfADeploymentIsAPrefixOfAnothers() {
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
