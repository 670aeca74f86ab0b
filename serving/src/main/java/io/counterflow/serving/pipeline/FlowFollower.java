package io.counterflow.serving.pipeline;

import io.counterflow.schemas.topics.JournalReader;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicFollower;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.serving.diagnosis.Flow;
import io.counterflow.serving.diagnosis.RecentCount;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Counts the records that the job writes, by loop. To limit the load on Kafka, it reads only while
 * somebody looks at a pipeline, and starts a few minutes back.
 */
final class FlowFollower {

    /** Limit on the records of one partition that are read when somebody starts to look. */
    private static final long MAX_HISTORY = 50_000;

    private static final Map<String, String> CONSUMER =
            Map.of("max.poll.records", "2000", "default.api.timeout.ms", "5000");

    private final Map<String, Topic> topics = new HashMap<>();
    private final LoopFlows flows;
    private final Predicate<String> isLoop;
    private final Clock clock;
    private final LetterReader letters = new LetterReader();
    private final JournalReader journal = new JournalReader();

    private FlowFollower(Topics names, LoopFlows flows, Predicate<String> isLoop, Clock clock) {
        for (Topic topic :
                List.of(Topic.JOURNAL, Topic.LATE, Topic.DEAD_LETTERS, Topic.POLICY_SNAPSHOTS)) {
            topics.put(names.name(topic), topic);
        }
        this.flows = flows;
        this.isLoop = isLoop;
        this.clock = clock;
    }

    /**
     * Starts to follow the job's topics.
     *
     * @param isLoop whether a loop of this name exists; others are not counted
     * @param log receives a message about each failure
     */
    static TopicFollower start(
            KafkaConfig kafka,
            Topics names,
            LoopFlows flows,
            Predicate<String> isLoop,
            Clock clock,
            Consumer<String> log) {
        FlowFollower handler = new FlowFollower(names, flows, isLoop, clock);
        return TopicFollower.start(
                new TopicFollower.Source("follow-flows", kafka, CONSUMER, flows::isLookedAt),
                handler::follow,
                log);
    }

    private void follow(TopicReader reader) {
        try {
            Map<TopicPartition, Long> ends = reader.endOffsets(topics.keySet());
            reader.addSince(
                    topics.keySet(), clock.millis() - RecentCount.SPAN.toMillis(), MAX_HISTORY);
            JobFlows counted = flows.job();
            while (reader.isActive()) {
                take(reader.poll(), counted);
                if (!counted.isUpToDate() && reader.hasReached(ends)) {
                    counted.caughtUp();
                }
            }
        } finally {
            flows.forgetJob();
        }
    }

    /** In the order of time, so that a snapshot comes after the examples that it learned from. */
    private void take(Iterable<ConsumerRecord<byte[], byte[]>> polled, JobFlows counted) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        polled.forEach(records::add);
        records.sort(Comparator.comparingLong(ConsumerRecord::timestamp));
        records.forEach(record -> take(record, counted));
    }

    private void take(ConsumerRecord<byte[], byte[]> record, JobFlows counted) {
        Topic topic = topics.get(record.topic());
        if (topic == null || record.value() == null) {
            return;
        }
        switch (topic) {
            case LATE -> letter(Flow.LATE, record, counted);
            case DEAD_LETTERS -> letter(Flow.DEAD_LETTERS, record, counted);
            default -> {
                String key =
                        record.key() == null
                                ? ""
                                : new String(record.key(), StandardCharsets.UTF_8);
                if (isLoop.test(key)) { // snapshots also come with the key loop@version
                    if (topic == Topic.POLICY_SNAPSHOTS) {
                        counted.snapshot(key);
                    } else if (journal.isExample(record.value())) {
                        counted.example(key, record.timestamp());
                    }
                }
            }
        }
    }

    private void letter(Flow flow, ConsumerRecord<byte[], byte[]> record, JobFlows counted) {
        letters.read(record.value())
                .ifPresent(
                        letter ->
                                counted.letter(
                                        flow,
                                        letter.loop().filter(isLoop),
                                        record.timestamp(),
                                        letter.description()));
    }
}
