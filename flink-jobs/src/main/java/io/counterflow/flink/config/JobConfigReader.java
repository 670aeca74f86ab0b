package io.counterflow.flink.config;

import io.counterflow.flink.ingest.IngestLimits;
import io.counterflow.flink.ingest.WatermarkConfig;
import io.counterflow.flink.join.JoinConfig;
import io.counterflow.flink.loop.LoopOperatorConfig;
import io.counterflow.flink.sinks.SinkConfig;
import io.counterflow.flink.windows.IpsWindowsConfig;
import io.counterflow.flink.windows.WindowConfig;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.TopicSettings;
import io.counterflow.schemas.topics.Topics;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;

/** From keys to the checked values that they mean. */
final class JobConfigReader {

    private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");

    private final Configuration given;

    JobConfigReader(Configuration given) {
        this.given = given;
    }

    JobConfig read() {
        String storage = storage();
        Topics topics = new Topics(get(KafkaOptions.TOPIC_PREFIX));
        SinkConfig sink = sink(storage);
        return new JobConfig(
                new KafkaConfig(get(KafkaOptions.BOOTSTRAP_SERVERS), clientProperties()),
                topics,
                new Topics(get(RunOptions.BATCH_TOPIC_PREFIX)),
                topicSettings(sink),
                get(KafkaOptions.CREATE_TOPICS),
                new IngestLimits(
                        bytes(StreamOptions.MAX_RECORD_SIZE),
                        get(StreamOptions.MAX_NAME_LENGTH),
                        get(StreamOptions.MAX_CLOCK_SKEW),
                        get(StreamOptions.MAX_ATTRIBUTION_WINDOW)),
                new WatermarkConfig(
                        get(StreamOptions.MAX_OUT_OF_ORDERNESS),
                        get(StreamOptions.IDLE_TIMEOUT),
                        get(StreamOptions.MAX_DRIFT),
                        get(StreamOptions.CONTROL_IDLE_TIMEOUT)),
                new JoinConfig(
                        get(StreamOptions.IMPRESSION_WAIT),
                        get(StreamOptions.MAX_FEEDBACK),
                        sink.maxRecordBytes()),
                new LoopOperatorConfig(
                        get(StreamOptions.LOOP_CACHE).getBytes(),
                        get(StreamOptions.LOOP_PENDING).getBytes(),
                        get(StreamOptions.LOOP_BUFFER).getBytes(),
                        get(StreamOptions.KEPT_VERSIONS),
                        get(StreamOptions.MAX_LOOP).getBytes()),
                new IpsWindowsConfig(
                        new WindowConfig(
                                get(StreamOptions.WINDOW_SIZE), get(StreamOptions.WINDOW_SLIDE)),
                        get(StreamOptions.WINDOW_CACHE).getBytes(),
                        get(StreamOptions.METERED_LOOPS)),
                sink,
                run(storage));
    }

    /** The directory as a URI; a plain path is one of this machine. */
    private String storage() {
        String directory = get(RunOptions.STORAGE_DIRECTORY);
        if (directory.isBlank()) {
            throw new IllegalArgumentException("storage.directory must be given, got none");
        }
        String uri =
                SCHEME.matcher(directory).matches()
                        ? URI.create(directory).toString()
                        : Path.of(directory).toAbsolutePath().normalize().toUri().toString();
        return uri.endsWith("/") ? uri.substring(0, uri.length() - 1) : uri;
    }

    private Map<String, String> clientProperties() {
        Map<String, String> properties = new TreeMap<>();
        given.toMap()
                .forEach(
                        (key, value) -> {
                            if (key.startsWith(KafkaOptions.CLIENT_PREFIX)) {
                                properties.put(
                                        key.substring(KafkaOptions.CLIENT_PREFIX.length()), value);
                            }
                        });
        return properties;
    }

    private TopicSettings topicSettings(SinkConfig sink) {
        return new TopicSettings(
                get(KafkaOptions.EVENT_PARTITIONS),
                get(KafkaOptions.PARTITIONS),
                get(KafkaOptions.REPLICATION_FACTOR),
                get(KafkaOptions.FEEDBACK_RETENTION),
                get(KafkaOptions.LOG_RETENTION),
                sink.maxRecordBytes());
    }

    private SinkConfig sink(String storage) {
        return new SinkConfig(
                get(RunOptions.NAME),
                get(RunOptions.TRANSACTION_TIMEOUT),
                get(RunOptions.COMPRESSION),
                bytes(RunOptions.MAX_WRITTEN_SIZE),
                bytes(RunOptions.MAX_INLINE_SNAPSHOT),
                storage + "/snapshots");
    }

    private RunSettings run(String storage) {
        // Deployments may share a directory; which checkpoint is whose must be clear.
        String mine = storage + "/" + get(RunOptions.NAME);
        return new RunSettings(
                get(RunOptions.PARALLELISM),
                get(RunOptions.MAX_PARALLELISM),
                get(RunOptions.STATE_BACKEND),
                new RunSettings.Checkpoints(
                        get(RunOptions.CHECKPOINT_INTERVAL),
                        get(RunOptions.CHECKPOINT_TIMEOUT),
                        get(RunOptions.CHECKPOINTS_RETAINED),
                        mine + "/checkpoints",
                        mine + "/savepoints"),
                new RunSettings.Restart(
                        get(RunOptions.RESTART_INITIAL_BACKOFF),
                        get(RunOptions.RESTART_MAX_BACKOFF),
                        get(RunOptions.RESTART_RESET_AFTER)),
                get(RunOptions.CLUSTER_ADDRESS));
    }

    private int bytes(ConfigOption<MemorySize> option) {
        long bytes = get(option).getBytes();
        if (bytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "%s must be below 2 GiB, got %d bytes".formatted(option.key(), bytes));
        }
        return (int) bytes;
    }

    private <T> T get(ConfigOption<T> option) {
        return given.get(option);
    }
}
