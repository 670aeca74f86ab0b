package io.counterflow.flink.config;

import io.counterflow.flink.sinks.Compression;
import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;

/** How the job runs, what it writes and where it keeps its state. */
public final class RunOptions {

    public static final ConfigOption<String> NAME =
            ConfigOptions.key("job.name")
                    .stringType()
                    .defaultValue("counterflow")
                    .withDescription(
                            "Name of the deployment. The names of transactions"
                                    + " contain it: keep it across restarts, and give every job"
                                    + " that writes to the same topics its own name.");

    public static final ConfigOption<Integer> PARALLELISM =
            ConfigOptions.key("job.parallelism")
                    .intType()
                    .defaultValue(0)
                    .withDescription(
                            "Parallelism of each operator; 0 uses the cluster's"
                                    + " default, or the number of processors when the job runs"
                                    + " locally.");

    public static final ConfigOption<Integer> MAX_PARALLELISM =
            ConfigOptions.key("job.max-parallelism")
                    .intType()
                    .defaultValue(128)
                    .withDescription(
                            "Maximum parallelism. The job cannot restore its state"
                                    + " after a change.");

    public static final ConfigOption<StateBackendKind> STATE_BACKEND =
            ConfigOptions.key("job.state-backend")
                    .enumType(StateBackendKind.class)
                    .defaultValue(StateBackendKind.ROCKSDB)
                    .withDescription(
                            "Where state is kept between records: `rocksdb` (on disk)"
                                    + " or `hashmap` (on the heap).");

    public static final ConfigOption<Duration> RESTART_INITIAL_BACKOFF =
            ConfigOptions.key("restart.initial-backoff")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(1))
                    .withDescription("Delay before the first restart after a failure.");

    public static final ConfigOption<Duration> RESTART_MAX_BACKOFF =
            ConfigOptions.key("restart.max-backoff")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(1))
                    .withDescription(
                            "Maximum delay before a restart. The delay doubles with"
                                    + " each failure.");

    public static final ConfigOption<Duration> RESTART_RESET_AFTER =
            ConfigOptions.key("restart.reset-after")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(10))
                    .withDescription(
                            "After this time without a failure the delay is"
                                    + " `restart.initial-backoff` again.");

    public static final ConfigOption<Duration> CHECKPOINT_INTERVAL =
            ConfigOptions.key("checkpoint.interval")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(10))
                    .withDescription(
                            "Time between checkpoints. Results become visible with"
                                    + " the next checkpoint.");

    public static final ConfigOption<Duration> CHECKPOINT_TIMEOUT =
            ConfigOptions.key("checkpoint.timeout")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(5))
                    .withDescription("A checkpoint that takes longer fails.");

    public static final ConfigOption<Integer> CHECKPOINTS_RETAINED =
            ConfigOptions.key("checkpoint.retained")
                    .intType()
                    .defaultValue(3)
                    .withDescription("Number of checkpoints to keep.");

    public static final ConfigOption<String> STORAGE_DIRECTORY =
            ConfigOptions.key("storage.directory")
                    .stringType()
                    .defaultValue("counterflow-data")
                    .withDescription(
                            "Directory for checkpoints, savepoints and large"
                                    + " snapshots: a path, or a URI of a file system that Flink"
                                    + " supports. All machines of a cluster must be able to"
                                    + " access it.");

    public static final ConfigOption<Duration> TRANSACTION_TIMEOUT =
            ConfigOptions.key("sink.transaction-timeout")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(10))
                    .withDescription(
                            "Kafka aborts a transaction that is open for longer. Must"
                                    + " be longer than `checkpoint.interval` and"
                                    + " `checkpoint.timeout` together and shorter than 15"
                                    + " minutes, the default limit of brokers. A job that is"
                                    + " down for longer can lose results that it has not"
                                    + " committed.");

    public static final ConfigOption<Compression> COMPRESSION =
            ConfigOptions.key("sink.compression")
                    .enumType(Compression.class)
                    .defaultValue(Compression.LZ4)
                    .withDescription("Compression of records: `none`, `lz4` or `zstd`.");

    public static final ConfigOption<MemorySize> MAX_WRITTEN_SIZE =
            ConfigOptions.key("sink.max-record-size")
                    .memoryType()
                    .defaultValue(new MemorySize(1_000_000))
                    .withDescription(
                            "Maximum size of a record that the job writes. A larger"
                                    + " record becomes a dead letter. The `max.message.bytes`"
                                    + " of all topics must allow it.");

    public static final ConfigOption<MemorySize> MAX_INLINE_SNAPSHOT =
            ConfigOptions.key("sink.max-inline-snapshot")
                    .memoryType()
                    .defaultValue(new MemorySize(500_000))
                    .withDescription(
                            "Maximum size of a snapshot that is written as a record."
                                    + " A larger snapshot is written to a file, and a record"
                                    + " points to the file.");

    public static final ConfigOption<String> BATCH_TOPIC_PREFIX =
            ConfigOptions.key("batch.topic-prefix")
                    .stringType()
                    .defaultValue("counterflow.batch")
                    .withDescription(
                            "Prefix of the topics that a batch run writes to. Must"
                                    + " differ from `kafka.topic-prefix`.");

    public static final ConfigOption<String> CLUSTER_ADDRESS =
            ConfigOptions.key("cluster.address")
                    .stringType()
                    .defaultValue("localhost:8081")
                    .withDescription(
                            "`host:port` of the Flink REST endpoint that jobs are"
                                    + " submitted to.");

    private RunOptions() {}

    static List<ConfigOption<?>> all() {
        return List.of(
                NAME,
                PARALLELISM,
                MAX_PARALLELISM,
                STATE_BACKEND,
                RESTART_INITIAL_BACKOFF,
                RESTART_MAX_BACKOFF,
                RESTART_RESET_AFTER,
                CHECKPOINT_INTERVAL,
                CHECKPOINT_TIMEOUT,
                CHECKPOINTS_RETAINED,
                STORAGE_DIRECTORY,
                TRANSACTION_TIMEOUT,
                COMPRESSION,
                MAX_WRITTEN_SIZE,
                MAX_INLINE_SNAPSHOT,
                BATCH_TOPIC_PREFIX,
                CLUSTER_ADDRESS);
    }
}
