package io.counterflow.flink.job;

import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.config.RunSettings;
import io.counterflow.flink.state.RocksDbFiles;
import io.counterflow.schemas.config.StateBackendKind;
import java.util.Locale;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.core.execution.CheckpointingMode;

/** Translates the job's configuration to Flink's options. */
public final class FlinkSettings {

    /**
     * By level; the last value is for all further ones. New files are not compressed, because they
     * are merged or deleted soon. Flink's default, Snappy, needs several times the CPU of LZ4 for
     * records of a few kilobytes.
     */
    private static final ConfigOption<String> ROCKSDB_COMPRESSION =
            ConfigOptions.key("state.backend.rocksdb.compression.per.level")
                    .stringType()
                    .noDefaultValue();

    /** Most lookups of the join find nothing. */
    private static final ConfigOption<Boolean> ROCKSDB_BLOOM_FILTER =
            ConfigOptions.key("state.backend.rocksdb.use-bloom-filter")
                    .booleanType()
                    .noDefaultValue();

    private static final ConfigOption<String> ROCKSDB_OPTIONS =
            ConfigOptions.key("state.backend.rocksdb.options-factory")
                    .stringType()
                    .noDefaultValue();

    private FlinkSettings() {}

    public static Configuration of(JobConfig config, RunMode mode) {
        Configuration flink = new Configuration();
        RunSettings run = config.run();
        // A batch run uses the same operators in streaming mode, over bounded sources.
        flink.set(ExecutionOptions.RUNTIME_MODE, RuntimeExecutionMode.STREAMING);
        flink.set(PipelineOptions.NAME, config.name());
        flink.set(PipelineOptions.MAX_PARALLELISM, run.maxParallelism());
        run.givenParallelism().ifPresent(it -> flink.set(CoreOptions.DEFAULT_PARALLELISM, it));
        flink.set(PipelineOptions.GENERIC_TYPES, false); // no Kryo
        flink.set(PipelineOptions.AUTO_GENERATE_UIDS, false); // a missing uid fails at once
        flink.set(PipelineOptions.OBJECT_REUSE, true); // no operator modifies an emitted object
        state(flink, run, mode);
        restart(flink, run.restart());
        return flink;
    }

    private static void state(Configuration flink, RunSettings run, RunMode mode) {
        RunSettings.Checkpoints checkpoints = run.checkpoints();
        flink.set(
                StateBackendOptions.STATE_BACKEND,
                run.stateBackend().name().toLowerCase(Locale.ROOT));
        flink.set(ROCKSDB_COMPRESSION, "NO_COMPRESSION;NO_COMPRESSION;LZ4_COMPRESSION");
        flink.set(ROCKSDB_BLOOM_FILTER, true);
        flink.set(ROCKSDB_OPTIONS, RocksDbFiles.class.getName());
        flink.set(
                CheckpointingOptions.INCREMENTAL_CHECKPOINTS,
                run.stateBackend() == StateBackendKind.ROCKSDB);
        flink.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, checkpoints.interval());
        flink.set(CheckpointingOptions.CHECKPOINTING_TIMEOUT, checkpoints.timeout());
        flink.set(
                CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE,
                CheckpointingMode.EXACTLY_ONCE);
        // A batch run never resumes, and the live job must not resume from its checkpoints.
        flink.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                checkpoints.directory() + (mode == RunMode.BATCH ? "-of-batch" : ""));
        flink.set(CheckpointingOptions.SAVEPOINT_DIRECTORY, checkpoints.savepointDirectory());
        flink.set(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS, checkpoints.retained());
        flink.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                mode == RunMode.BATCH
                        ? ExternalizedCheckpointRetention.DELETE_ON_CANCELLATION
                        : ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        // Aligned, because Flink keeps the order of records only between two subtasks: after a
        // change of parallelism, specs and commands in flight of an unaligned checkpoint could be
        // overtaken by later ones of the same partition.
        flink.set(CheckpointingOptions.ENABLE_UNALIGNED, false);
    }

    private static void restart(Configuration flink, RunSettings.Restart restart) {
        flink.set(RestartStrategyOptions.RESTART_STRATEGY, "exponential-delay");
        flink.set(
                RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF,
                restart.initialBackoff());
        flink.set(
                RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF,
                restart.maxBackoff());
        flink.set(
                RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_BACKOFF_MULTIPLIER, 2.0);
        flink.set(
                RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_RESET_BACKOFF_THRESHOLD,
                restart.resetAfter());
    }
}
