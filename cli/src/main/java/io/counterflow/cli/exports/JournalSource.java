package io.counterflow.cli.exports;

import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.streaming.BrokerWait;
import io.counterflow.core.log.Impression;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.OutcomeRecord;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.ImpressionHead;
import io.counterflow.schemas.wire.ImpressionHeadReader;
import io.counterflow.schemas.wire.Optionals;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Decisions on the topic {@code journal}, which has every decision that a loop has learned from,
 * with its reward. Reads committed entries, from the first one to the end at the start.
 */
final class JournalSource implements DecisionSource {

    private final JobConfig config;
    private final boolean needsFacts;
    private final @Nullable PolicyFiles policies;
    private final Output output;

    private final WireCodec<JournalRecord> entries = WireCodec.of(JournalRecord.class);
    private final WireCodec<ImpressionRecord> impressions = WireCodec.of(ImpressionRecord.class);
    private final WireCodec<LoopSpecRecord> specRecords = WireCodec.of(LoopSpecRecord.class);
    private final ImpressionHeadReader heads = new ImpressionHeadReader();
    private final ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
    private final LoopSpecs specs = new LoopSpecs();
    private final Map<String, Long> nextEntries = new HashMap<>();
    private long missing;

    /**
     * @param needsFacts whether the format needs what the spec of a loop says
     * @param policies where to write snapshots and specs; null for nowhere
     */
    JournalSource(
            JobConfig config, boolean needsFacts, @Nullable PolicyFiles policies, Output output) {
        this.config = config;
        this.needsFacts = needsFacts;
        this.policies = policies;
        this.output = output;
    }

    @Override
    public void read(Export export) throws IOException {
        BrokerWait.await(config.kafka(), output);
        KafkaConfig given = config.kafka();
        Map<String, String> settings = new HashMap<>(given.clientProperties());
        settings.put("allow.auto.create.topics", "false");
        KafkaConfig kafka =
                new KafkaConfig(
                        given.bootstrapServers(), settings, given.compression(), given.values());
        try (TopicReader reader = new TopicReader(kafka)) {
            TopicScan scan = new TopicScan(reader, output);
            scan.read(name(Topic.LOOPS), "reading specs", record -> addSpec(export, record));
            if (policies != null) {
                scan.read(
                        name(Topic.POLICY_SNAPSHOTS),
                        "reading snapshots",
                        record -> policies.addSnapshot(export.selection(), record));
            }
            scan.read(name(Topic.JOURNAL), "reading", record -> take(export, record));
        }
        if (missing > 0) {
            output.warn(
                    "%s not on %s any more (kafka.log-retention), with the decisions in them"
                            .formatted(
                                    Figures.count(
                                            missing,
                                            "entry of the journal is",
                                            "entries of the journal are"),
                                    name(Topic.JOURNAL)));
        }
    }

    private String name(Topic topic) {
        return config.topics().name(topic);
    }

    /** The newest spec of each loop, for loops whose first entries have expired. */
    private void addSpec(Export export, ConsumerRecord<byte[], byte[]> record) throws IOException {
        if (record.value() != null && isSelected(export, record)) {
            addSpec(record.value());
        }
    }

    private static boolean isSelected(Export export, ConsumerRecord<byte[], byte[]> record) {
        return record.key() == null
                || export.selection().isOf(new String(record.key(), StandardCharsets.UTF_8));
    }

    private void addSpec(byte[] value) throws IOException {
        try {
            LoopSpecRecord spec = specRecords.decode(value);
            specs.add(spec);
            if (policies != null) {
                policies.addSpec(spec);
            }
        } catch (UndecodableRecordException | IllegalArgumentException e) {
            output.warn("a spec cannot be read: " + e.getMessage());
        }
    }

    private void take(Export export, ConsumerRecord<byte[], byte[]> record) throws IOException {
        if (record.value() == null || !isSelected(export, record)) {
            return;
        }
        Map<String, Object> place = new LinkedHashMap<>();
        place.put("partition", record.partition());
        place.put("offset", record.offset());
        try {
            JournalRecord entry = entries.decode(record.value());
            if (export.selection().isOf(entry.getLoop())) {
                place.put("loop", entry.getLoop());
                place.put("entry", entry.getSequence());
                take(export, entry);
            }
        } catch (UndecodableRecordException | IllegalArgumentException e) {
            export.reject(place, LeftOut.UNREADABLE, String.valueOf(e.getMessage()));
        }
    }

    private void take(Export export, JournalRecord entry)
            throws IOException, UndecodableRecordException {
        String loop = entry.getLoop();
        long expected = nextEntries.getOrDefault(loop, 1L);
        missing += Math.max(0, entry.getSequence() - expected);
        nextEntries.put(loop, entry.getSequence() + 1);
        switch (entry.getKind()) {
            case EXAMPLE -> takeExample(export, entry);
            case SPEC -> addSpec(bytes(entry));
            case DELETION -> {
                nextEntries.remove(loop); // a new loop of this name counts from 1 again
                specs.remove(loop);
                output.warn(
                        "loop %s was deleted at %s; --from leaves out the decisions before that"
                                .formatted(loop, entry.getTime()));
            }
            case COMMAND, TIME, UNKNOWN -> {
                // not decisions
            }
        }
    }

    private static byte[] bytes(JournalRecord entry) {
        byte[] bytes = new byte[entry.getRecord().remaining()];
        entry.getRecord().get(bytes);
        return bytes;
    }

    private void takeExample(Export export, JournalRecord entry)
            throws IOException, UndecodableRecordException {
        byte[] bytes = bytes(entry);
        ImpressionHead head = heads.read(bytes);
        Instant time = Instant.EPOCH.plus(head.timeMicros(), ChronoUnit.MICROS);
        if (!export.selection().includes(head.loop(), time)) {
            return; // the rest, which is most of the bytes, is not decoded
        }
        Impression impression = conversion.fromRecord(impressions.decode(bytes));
        OutcomeRecord outcome = entry.getOutcome();
        if (outcome != null) {
            impression =
                    impression.withReward(
                            outcome.getReward(), Optionals.of(outcome.getGuardrailReward()));
        }
        LoopFacts facts = specs.of(impression.loop(), impression.specVersion()).orElse(null);
        if (facts == null && needsFacts) {
            Map<String, Object> place = new LinkedHashMap<>();
            place.put("loop", impression.loop());
            place.put("event", impression.eventId());
            export.reject(place, LeftOut.NO_SPEC, "the range of its rewards is not known");
            return;
        }
        export.take(new LoggedDecision(impression, facts == null ? LoopFacts.NONE : facts));
    }

    @Override
    public void addTo(FieldReport report) {
        report.field("missingEntries", missing);
        if (policies != null) {
            policies.addTo(report);
        }
    }
}
