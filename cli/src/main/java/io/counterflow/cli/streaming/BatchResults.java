package io.counterflow.cli.streaming;

import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Report;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.ingest.IngestFunction;
import io.counterflow.schemas.record.RolloutKindRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Counts the results of a batch run on its topics. Created before the run, so that results of
 * earlier runs are not counted.
 */
final class BatchResults {

    private final JobConfig config;
    private final Map<Topic, Map<Integer, Long>> starts = new EnumMap<>(Topic.class);

    BatchResults(JobConfig config) {
        this.config = config;
        try (TopicReader reader = new TopicReader(config.kafka())) {
            for (Topic topic : List.of(Topic.POLICY_SNAPSHOTS, Topic.ROLLOUTS)) {
                starts.put(topic, reader.ends(config.batchTopics().name(topic)));
            }
        }
    }

    Report report(Map<String, Object> accumulators) {
        String accumulator = IngestFunction.ACCUMULATOR_PREFIX + LoopEventKind.EXAMPLE.name();
        WireCodec<RolloutRecord> codec = WireCodec.of(RolloutRecord.class);
        String prefix = config.batchTopics().prefix();
        return new FieldReport()
                .section("results", "count")
                .field("examples", "examples", accumulators.getOrDefault(accumulator, 0L))
                .field(
                        "snapshots",
                        "snapshots",
                        count(Topic.POLICY_SNAPSHOTS, BatchResults::isVersion))
                .field(
                        "promotions",
                        "promotions",
                        count(Topic.ROLLOUTS, record -> isPromotion(codec, record)))
                .field("topicPrefix", prefix)
                .line("results are on the topics %s.*", prefix);
    }

    private long count(Topic topic, Predicate<ConsumerRecord<byte[], byte[]>> wanted) {
        AtomicLong count = new AtomicLong();
        try (TopicReader reader = new TopicReader(config.kafka())) {
            reader.read(
                    config.batchTopics().name(topic),
                    starts.getOrDefault(topic, Map.of()),
                    record -> count.addAndGet(wanted.test(record) ? 1 : 0));
        }
        return count.get();
    }

    /**
     * Each snapshot is written twice, with the keys {@code loop} and {@code loop@version}. Old
     * versions are deleted by a record without a value.
     */
    private static boolean isVersion(ConsumerRecord<byte[], byte[]> record) {
        return record.value() != null
                && new String(record.key(), StandardCharsets.UTF_8).indexOf('@') >= 0;
    }

    private static boolean isPromotion(
            WireCodec<RolloutRecord> codec, ConsumerRecord<byte[], byte[]> record) {
        try {
            return record.value() != null // a deletion of the loop
                    && codec.decode(record.value()).getKind() == RolloutKindRecord.PROMOTED;
        } catch (UndecodableRecordException e) {
            throw new IllegalStateException("the job wrote a rollout that cannot be decoded", e);
        }
    }
}
