package io.counterflow.flink.config;

import io.counterflow.core.text.DurationText;
import io.counterflow.flink.ingest.IngestLimits;
import io.counterflow.flink.ingest.WatermarkConfig;
import io.counterflow.flink.join.JoinConfig;
import io.counterflow.flink.loop.LoopOperatorConfig;
import io.counterflow.flink.sinks.SinkConfig;
import io.counterflow.flink.windows.IpsWindowsConfig;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.TopicSettings;
import io.counterflow.schemas.topics.Topics;
import java.io.Serializable;
import java.time.Duration;

/**
 * All that the job is told at start-up. Immutable, and checked once.
 *
 * @param kafka how Kafka is reached
 * @param topics names of the live topics
 * @param batchTopics names of the topics that a batch run writes to
 * @param topicSettings how missing topics are made
 * @param createTopics whether they are
 * @param ingest what is let in
 * @param watermarks how event time moves
 * @param join how patient the join is
 * @param loop what the operator of all loops may use
 * @param windows over what time estimates are taken, and what that may use
 * @param sink how results are written
 * @param run how Flink runs it
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
    }

    /** Name of the deployment. */
    public String name() {
        return sink.deployment();
    }
}
