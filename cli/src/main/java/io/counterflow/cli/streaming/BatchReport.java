package io.counterflow.cli.streaming;

import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.Table;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.ingest.IngestFunction;
import io.counterflow.flink.job.RunMode;
import io.counterflow.schemas.record.RolloutKindRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What a batch run has learned.
 *
 * @param examples examples that it read
 * @param snapshots versions that it froze
 * @param promotions how often another version became active
 * @param topicPrefix where its results lie
 */
record BatchReport(long examples, long snapshots, long promotions, String topicPrefix)
        implements Report {

    /** Each version is also written under a key of its own, which has this in it. */
    private static final char VERSION_MARK = '@';

    @Override
    public String toText() {
        Table table = Table.withColumns("what", "count");
        table.row("examples", examples);
        table.row("snapshots", snapshots);
        table.row("promotions", promotions);
        return table + "results are on the topics " + topicPrefix + ".*";
    }

    @Override
    public Object toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("examples", examples);
        json.put("snapshots", snapshots);
        json.put("promotions", promotions);
        json.put("topicPrefix", topicPrefix);
        return json;
    }

    /**
     * Where the topics of results ended before the run, so that earlier runs are not counted.
     *
     * @param config the job's configuration
     * @param ends offsets by topic and partition
     */
    record Before(JobConfig config, Map<Topic, Map<Integer, Long>> ends) {

        static Before of(JobConfig config, RunMode mode) {
            Map<Topic, Map<Integer, Long>> ends = new EnumMap<>(Topic.class);
            if (mode == RunMode.BATCH) {
                try (TopicReader reader = new TopicReader(config.kafka())) {
                    for (Topic topic : List.of(Topic.POLICY_SNAPSHOTS, Topic.ROLLOUTS)) {
                        ends.put(topic, reader.ends(config.batchTopics().name(topic)));
                    }
                }
            }
            return new Before(config, ends);
        }

        BatchReport report(Map<String, Object> totals) {
            Object examples =
                    totals.get(IngestFunction.ACCUMULATOR_PREFIX + LoopEventKind.EXAMPLE.name());
            long[] snapshots = new long[1];
            long[] promotions = new long[1];
            WireCodec<RolloutRecord> rollouts = WireCodec.of(RolloutRecord.class);
            try (TopicReader reader = new TopicReader(config.kafka())) {
                read(reader, Topic.POLICY_SNAPSHOTS, record -> snapshots[0] += versions(record));
                read(
                        reader,
                        Topic.ROLLOUTS,
                        record -> promotions[0] += isPromotion(rollouts, record) ? 1 : 0);
            }
            return new BatchReport(
                    examples instanceof Long count ? count : 0,
                    snapshots[0],
                    promotions[0],
                    config.batchTopics().prefix());
        }

        private void read(
                TopicReader reader, Topic topic, Consumer<ConsumerRecord<byte[], byte[]>> records) {
            reader.read(
                    config.batchTopics().name(topic), ends.getOrDefault(topic, Map.of()), records);
        }

        private static int versions(ConsumerRecord<byte[], byte[]> record) {
            String key = new String(record.key(), StandardCharsets.UTF_8);
            return key.indexOf(VERSION_MARK) < 0 ? 0 : 1;
        }

        private static boolean isPromotion(
                WireCodec<RolloutRecord> codec, ConsumerRecord<byte[], byte[]> record) {
            try {
                return codec.decode(record.value()).getKind() == RolloutKindRecord.PROMOTED;
            } catch (UndecodableRecordException e) {
                throw new IllegalStateException("the job wrote a rollout that does not decode", e);
            }
        }
    }
}
