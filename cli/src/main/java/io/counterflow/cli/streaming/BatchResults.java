package io.counterflow.cli.streaming;

import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Report;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.event.RefusalReason;
import io.counterflow.flink.ingest.IngestFunction;
import io.counterflow.schemas.record.DeadLetterRecord;
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
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.avro.specific.SpecificRecordBase;
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
            for (Topic topic :
                    List.of(Topic.POLICY_SNAPSHOTS, Topic.ROLLOUTS, Topic.DEAD_LETTERS)) {
                starts.put(topic, reader.ends(config.batchTopics().name(topic)));
            }
        }
    }

    Report report(Map<String, Object> accumulators) {
        String accumulator = IngestFunction.ACCUMULATOR_PREFIX + LoopEventKind.EXAMPLE.name();
        WireCodec<RolloutRecord> codec = WireCodec.of(RolloutRecord.class);
        String prefix = config.batchTopics().prefix();
        Set<String> leftOut = leftOut();
        FieldReport report = new FieldReport();
        report.section("results", "count")
                .field("examples", "examples", accumulators.getOrDefault(accumulator, 0L))
                .field(
                        "snapshots",
                        "snapshots",
                        count(Topic.POLICY_SNAPSHOTS, BatchResults::isVersion))
                .field(
                        "promotions",
                        "promotions",
                        count(Topic.ROLLOUTS, record -> isPromotion(codec, record)))
                .field("leftOutLoops", "loops left out", leftOut.size())
                .field("leftOut", List.copyOf(leftOut))
                .field("topicPrefix", prefix)
                .line("results are on the topics %s.*", prefix);
        if (!leftOut.isEmpty()) {
            report.line(
                    "left out, because the first entries of their journal have expired (kafka.log-retention): %s",
                    String.join(", ", leftOut));
        }
        return report;
    }

    /** The loops whose first entries of the journal have expired. */
    private Set<String> leftOut() {
        WireCodec<DeadLetterRecord> codec = WireCodec.of(DeadLetterRecord.class);
        Set<String> loops = new TreeSet<>(); // a loop may have several, if the run was restarted
        read(
                Topic.DEAD_LETTERS,
                record -> {
                    if (decode(codec, record.value())
                            .getRule()
                            .equals(RefusalReason.EXPIRED_JOURNAL.name())) {
                        loops.add(new String(record.key(), StandardCharsets.UTF_8));
                    }
                });
        return loops;
    }

    private long count(Topic topic, Predicate<ConsumerRecord<byte[], byte[]>> wanted) {
        AtomicLong count = new AtomicLong();
        read(topic, record -> count.addAndGet(wanted.test(record) ? 1 : 0));
        return count.get();
    }

    private void read(Topic topic, Consumer<ConsumerRecord<byte[], byte[]>> records) {
        try (TopicReader reader = new TopicReader(config.kafka())) {
            reader.read(
                    config.batchTopics().name(topic),
                    starts.getOrDefault(topic, Map.of()),
                    records);
        }
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
        return record.value() != null // a deletion of the loop
                && codec.accepts(record.value()) // not the spec in force
                && decode(codec, record.value()).getKind() == RolloutKindRecord.PROMOTED;
    }

    private static <T extends SpecificRecordBase> T decode(WireCodec<T> codec, byte[] value) {
        try {
            return codec.decode(value);
        } catch (UndecodableRecordException e) {
            throw new IllegalStateException("the job wrote a record that cannot be decoded", e);
        }
    }
}
