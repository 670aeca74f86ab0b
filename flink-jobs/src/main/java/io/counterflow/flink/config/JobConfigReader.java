package io.counterflow.flink.config;

import io.counterflow.flink.ingest.IngestLimits;
import io.counterflow.flink.ingest.WatermarkConfig;
import io.counterflow.flink.join.JoinConfig;
import io.counterflow.flink.loop.LoopOperatorConfig;
import io.counterflow.flink.sinks.SinkConfig;
import io.counterflow.flink.windows.IpsWindowsConfig;
import io.counterflow.flink.windows.WindowConfig;
import io.counterflow.schemas.config.ConfigValues;
import io.counterflow.schemas.config.Option;
import io.counterflow.schemas.config.Options;
import io.counterflow.schemas.config.StorageDirectory;
import io.counterflow.schemas.topics.Topics;

/** Builds the job's configuration from the values of its options. */
final class JobConfigReader {

    private final ConfigValues values;

    JobConfigReader(ConfigValues values) {
        this.values = values;
    }

    JobConfig read() {
        // Deployments may share a storage directory, but neither checkpoints nor snapshots.
        String deployment =
                StorageDirectory.uri(get(Options.STORAGE_DIRECTORY)) + "/" + get(Options.JOB_NAME);
        return new JobConfig(
                values.kafka(),
                values.topics(),
                new Topics(get(Options.BATCH_TOPIC_PREFIX)),
                values.topicSettings(),
                get(Options.CREATE_TOPICS),
                new IngestLimits(
                        get(Options.MAX_READ_SIZE),
                        get(Options.MAX_NAME_LENGTH),
                        get(Options.MAX_CLOCK_SKEW),
                        get(Options.MAX_ATTRIBUTION_WINDOW)),
                new WatermarkConfig(
                        get(Options.MAX_OUT_OF_ORDERNESS),
                        get(Options.WATERMARK_IDLE_TIMEOUT),
                        get(Options.MAX_DRIFT)),
                new JoinConfig(
                        get(Options.IMPRESSION_WAIT),
                        get(Options.MAX_FEEDBACK),
                        get(Options.JOIN_CACHE)),
                new LoopOperatorConfig(
                        get(Options.LOOP_CACHE),
                        get(Options.LOOP_BUFFER_CACHE),
                        get(Options.SPEC_WAIT),
                        get(Options.SPEC_WAIT_SIZE),
                        get(Options.LOOP_BUFFER),
                        get(Options.KEPT_VERSIONS),
                        get(Options.MAX_LOOP)),
                new IpsWindowsConfig(
                        new WindowConfig(get(Options.WINDOW_SIZE), get(Options.WINDOW_SLIDE)),
                        get(Options.METERED_LOOPS)),
                sink(deployment),
                run(deployment));
    }

    private SinkConfig sink(String deployment) {
        return new SinkConfig(
                get(Options.JOB_NAME),
                get(Options.TRANSACTION_TIMEOUT),
                get(Options.MAX_WRITTEN_SIZE),
                get(Options.MAX_INLINE_SNAPSHOT),
                deployment + "/snapshots");
    }

    private RunSettings run(String deployment) {
        return new RunSettings(
                get(Options.PARALLELISM),
                get(Options.MAX_PARALLELISM),
                get(Options.STATE_BACKEND),
                new RunSettings.Checkpoints(
                        get(Options.CHECKPOINT_INTERVAL),
                        get(Options.CHECKPOINT_TIMEOUT),
                        get(Options.CHECKPOINTS_RETAINED),
                        deployment + "/checkpoints",
                        deployment + "/savepoints"),
                new RunSettings.Restart(
                        get(Options.RESTART_INITIAL_BACKOFF),
                        get(Options.RESTART_MAX_BACKOFF),
                        get(Options.RESTART_RESET_AFTER)),
                get(Options.CLUSTER_ADDRESS));
    }

    private <T> T get(Option<T> option) {
        return values.get(option);
    }
}
