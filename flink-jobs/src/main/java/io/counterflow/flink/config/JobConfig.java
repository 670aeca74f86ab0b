package io.counterflow.flink.config;

import io.counterflow.core.text.DurationText;
import io.counterflow.flink.ingest.IngestLimits;
import io.counterflow.flink.ingest.WatermarkConfig;
import io.counterflow.flink.join.JoinConfig;
import io.counterflow.flink.loop.LoopOperatorConfig;
import io.counterflow.flink.sinks.SinkConfig;
import io.counterflow.flink.windows.IpsWindowsConfig;
import io.counterflow.schemas.config.Component;
import io.counterflow.schemas.config.ConfigValues;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.TopicSettings;
import io.counterflow.schemas.topics.Topics;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * The job's configuration.
 *
 * @param topics names of the live topics
 * @param batchTopics names of the topics that a batch run writes to
 */
public record JobConfig(
        KafkaConfig kafka,
        Topics topics,
        Topics batchTopics,
        TopicSettings topicSettings,
        boolean createTopics,
        IngestLimits ingest,
        WatermarkConfig watermarks,
        JoinConfig join,
        LoopOperatorConfig loop,
        IpsWindowsConfig windows,
        SinkConfig sink,
        RunSettings run)
        implements Serializable {

    public JobConfig {
        if (topics.equals(batchTopics)) {
            throw new IllegalArgumentException(
                    "batch.topic-prefix must differ from kafka.topic-prefix, got \"%s\" for both"
                            .formatted(topics.prefix()));
        }
        Duration maxCheckpoint = run.checkpoints().interval().plus(run.checkpoints().timeout());
        if (sink.transactionTimeout().compareTo(maxCheckpoint) <= 0) {
            throw new IllegalArgumentException(
                    "sink.transaction-timeout must be above checkpoint.interval and checkpoint.timeout together, %s, got %s"
                            .formatted(
                                    DurationText.format(maxCheckpoint),
                                    DurationText.format(sink.transactionTimeout())));
        }
        int parallelism = run.givenParallelism().orElse(1);
        if (watermarks.idleTimeout().isZero() && parallelism > topicSettings.eventPartitions()) {
            // A subtask without a partition would hold back the watermark for ever.
            throw new IllegalArgumentException(
                    "job.parallelism must be at most kafka.event-partitions, %d, if watermarks.idle-timeout is 0s, got %d"
                            .formatted(topicSettings.eventPartitions(), parallelism));
        }
    }

    /**
     * Reads a configuration file.
     *
     * @param environment environment variables, which override the file
     * @throws IllegalArgumentException if a key or value is invalid; the message names it
     */
    public static JobConfig read(Path file, Map<String, String> environment) throws IOException {
        return new JobConfigReader(ConfigValues.read(Component.JOB, file, environment)).read();
    }

    /** The same for the text of a file. */
    public static JobConfig parse(String yaml, Map<String, String> environment) {
        return new JobConfigReader(ConfigValues.parse(Component.JOB, yaml, environment)).read();
    }

    /** Name of the deployment. */
    public String name() {
        return sink.deployment();
    }
}
