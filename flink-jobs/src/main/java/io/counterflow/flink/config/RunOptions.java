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
                            "Name of this deployment. Transactions are named after it, so it stays"
                                    + " the same over restarts and differs between jobs that write to"
                                    + " the same topics.");

    public static final ConfigOption<Integer> PARALLELISM =
            ConfigOptions.key("job.parallelism")
                    .intType()
                    .defaultValue(0)
                    .withDescription(
                            "Subtasks of each operator; 0 takes the cluster's default, or the number"
                                    + " of processors in a local one.");

    public static final ConfigOption<Integer> MAX_PARALLELISM =
            ConfigOptions.key("job.max-parallelism")
                    .intType()
                    .defaultValue(128)
                    .withDescription(
                            "Most subtasks that there may ever be. Changing it throws all state"
                                    + " away.");

    public static final ConfigOption<StateBackendKind> STATE_BACKEND =
            ConfigOptions.key("job.state-backend")
                    .enumType(StateBackendKind.class)
                    .defaultValue(StateBackendKind.ROCKSDB)
                    .withDescription(
                            "Where state lives between records: rocksdb on disk, hashmap on the"
                                    + " heap.");

    public static final ConfigOption<Duration> RESTART_INITIAL_BACKOFF =
            ConfigOptions.key("restart.initial-backoff")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(1))
                    .withDescription("Wait before the first restart after a failure.");

    public static final ConfigOption<Duration> RESTART_MAX_BACKOFF =
            ConfigOptions.key("restart.max-backoff")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(1))
                    .withDescription("Longest wait; each failure doubles it up to here.");

    public static final ConfigOption<Duration> RESTART_RESET_AFTER =
            ConfigOptions.key("restart.reset-after")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(10))
                    .withDescription("After how long without a failure the wait is short again.");

    public static final ConfigOption<Duration> CHECKPOINT_INTERVAL =
            ConfigOptions.key("checkpoint.interval")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(10))
                    .withDescription(
                            "Time between checkpoints. Results are visible only after the next"
                                    + " one.");

    public static final ConfigOption<Duration> CHECKPOINT_TIMEOUT =
            ConfigOptions.key("checkpoint.timeout")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(5))
                    .withDescription("After how long a checkpoint is given up.");

    public static final ConfigOption<Integer> CHECKPOINTS_RETAINED =
            ConfigOptions.key("checkpoint.retained")
                    .intType()
                    .defaultValue(3)
                    .withDescription("How many checkpoints are kept.");

    public static final ConfigOption<String> STORAGE_DIRECTORY =
            ConfigOptions.key("storage.directory")
                    .stringType()
                    .defaultValue("counterflow-data")
                    .withDescription(
                            "Directory for checkpoints, savepoints and large snapshots: a path, or a"
                                    + " URI of any file system that Flink knows. On a cluster, one"
                                    + " that all its machines see.");

    public static final ConfigOption<Duration> TRANSACTION_TIMEOUT =
            ConfigOptions.key("sink.transaction-timeout")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(10))
                    .withDescription(
                            "After how long Kafka gives up a transaction: longer than a checkpoint's"
                                    + " interval and timeout together, below the 15 minutes that"
                                    + " brokers allow. A job that is away for longer can lose what it"
                                    + " had not committed.");

    public static final ConfigOption<Compression> COMPRESSION =
            ConfigOptions.key("sink.compression")
                    .enumType(Compression.class)
                    .defaultValue(Compression.LZ4)
                    .withDescription("How records are packed: none, lz4 or zstd.");

    public static final ConfigOption<MemorySize> MAX_WRITTEN_SIZE =
            ConfigOptions.key("sink.max-record-size")
                    .memoryType()
                    .defaultValue(new MemorySize(1_000_000))
                    .withDescription(
                            "Largest record that is written; a larger one becomes a dead letter."
                                    + " Topics must take it.");

    public static final ConfigOption<MemorySize> MAX_INLINE_SNAPSHOT =
            ConfigOptions.key("sink.max-inline-snapshot")
                    .memoryType()
                    .defaultValue(new MemorySize(500_000))
                    .withDescription(
                            "Largest snapshot that is written as a record; larger ones become a file"
                                    + " and a record that points to it.");

    public static final ConfigOption<String> BATCH_TOPIC_PREFIX =
            ConfigOptions.key("batch.topic-prefix")
                    .stringType()
                    .defaultValue("counterflow.batch")
                    .withDescription(
                            "Prefix of the topics that a batch run writes to, so that it never mixes"
                                    + " with what is live.");

    public static final ConfigOption<String> CLUSTER_ADDRESS =
            ConfigOptions.key("cluster.address")
                    .stringType()
                    .defaultValue("localhost:8081")
                    .withDescription("Host:port of the REST endpoint that jobs are submitted to.");

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
