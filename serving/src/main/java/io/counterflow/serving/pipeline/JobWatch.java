package io.counterflow.serving.pipeline;

import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicFollower;
import io.counterflow.schemas.topics.Topics;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/** Watches the job until it is closed: its committed offsets, and what it has counted. */
public final class JobWatch implements AutoCloseable {

    private static final Duration INTERVAL = Duration.ofSeconds(2);
    private static final String TIMEOUT_MS = "4000";

    private final LoopPipelines pipelines;
    private final TopicFollower offsets;
    private final TopicFollower counts;

    /**
     * Starts to watch.
     *
     * @param jobName the job's name, which is the consumer group of its offsets
     * @param counted receives what the job has counted
     * @param log receives a message about each failure
     */
    public JobWatch(
            KafkaConfig kafka,
            Topics topics,
            String jobName,
            JobCounts counted,
            Clock clock,
            Consumer<String> log) {
        JobProgress<TopicPartition> progress = new JobProgress<>(clock);
        List<String> read = topics.names(List.of(Topic.IMPRESSIONS, Topic.REWARDS));
        pipelines = new LoopPipelines(new LoopFlows(clock), counted, progress::state, clock);
        offsets =
                TopicFollower.start(
                        new TopicFollower.Source(
                                "watch-job",
                                kafka,
                                Map.of(
                                        "group.id", jobName,
                                        "default.api.timeout.ms", TIMEOUT_MS,
                                        "request.timeout.ms", TIMEOUT_MS,
                                        "reconnect.backoff.max.ms", "1000")),
                        reader -> {
                            while (reader.isActive()) {
                                progress.tick();
                                Map<TopicPartition, Long> ends = reader.endOffsets(read);
                                progress.take(ends, reader.committed(ends.keySet()));
                                reader.pause(INTERVAL);
                            }
                        },
                        log);
        counts = counted.follow(kafka, topics, clock, log);
    }

    public LoopPipelines pipelines() {
        return pipelines;
    }

    /** The threads that read topics. */
    public List<TopicFollower> threads() {
        return List.of(offsets, counts);
    }

    @Override
    public void close() {
        offsets.close();
        counts.close();
    }
}
