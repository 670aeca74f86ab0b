package io.counterflow.e2e.failures;

import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.JournalKindRecord;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.record.RetractionRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecordBase;

/** The committed records of a deployment, by event. */
final class TopicLog {

    /** An example of the journal. */
    record Example(ImpressionRecord impression, double reward, int rewards) {}

    private final Map<String, List<ImpressionRecord>> impressions = new HashMap<>();
    private final Map<String, Integer> rewards = new HashMap<>();
    private final Map<String, List<Example>> examples = new HashMap<>();
    private final Map<String, List<String>> unusedDecisions = new HashMap<>();
    private final Map<String, List<String>> unusedRewards = new HashMap<>();
    private final Map<String, List<String>> unusedActivations = new HashMap<>();
    private final Map<String, Set<Instant>> retractions = new HashMap<>();
    private final Map<String, Integer> rules = new TreeMap<>();
    private final List<JournalRecord> journal = new ArrayList<>();

    private TopicLog() {}

    static TopicLog read(KafkaConfig kafka, Topics topics) {
        TopicLog log = new TopicLog();
        try (TopicReader reader = new TopicReader(kafka)) {
            // Results first: an example whose impression is read later is not missed.
            reader.read(topics.name(Topic.JOURNAL), record -> log.addEntry(record.value()));
            reader.read(topics.name(Topic.LATE), record -> log.addUnused(record.value()));
            reader.read(topics.name(Topic.DEAD_LETTERS), record -> log.addUnused(record.value()));
            reader.read(
                    topics.name(Topic.IMPRESSIONS), record -> log.addImpression(record.value()));
            reader.read(topics.name(Topic.REWARDS), record -> log.addReward(record.value()));
        }
        return log;
    }

    private void addEntry(byte[] value) {
        JournalRecord entry = require(JournalRecord.class, value);
        journal.add(entry);
        if (entry.getKind() == JournalKindRecord.EXAMPLE) {
            ImpressionRecord impression = require(ImpressionRecord.class, bytes(entry.getRecord()));
            examples.computeIfAbsent(impression.getEventId(), id -> new ArrayList<>())
                    .add(
                            new Example(
                                    impression,
                                    entry.getOutcome().getReward(),
                                    entry.getOutcome().getRewards()));
        }
    }

    private void addUnused(byte[] value) {
        DeadLetterRecord unused = require(DeadLetterRecord.class, value);
        rules.merge(unused.getRule(), 1, Integer::sum);
        if (unused.getValue() == null) {
            return;
        }
        byte[] original = bytes(unused.getValue());
        decode(ImpressionRecord.class, original)
                .ifPresent(
                        it ->
                                unusedDecisions
                                        .computeIfAbsent(it.getEventId(), id -> new ArrayList<>())
                                        .add(unused.getRule()));
        decode(RewardRecord.class, original)
                .ifPresent(
                        it ->
                                unusedRewards
                                        .computeIfAbsent(it.getRewardId(), id -> new ArrayList<>())
                                        .add(unused.getRule()));
        decode(ActivationRecord.class, original)
                .ifPresent(
                        it ->
                                unusedActivations
                                        .computeIfAbsent(it.getEventId(), id -> new ArrayList<>())
                                        .add(unused.getRule()));
    }

    private void addImpression(byte[] value) {
        decode(ImpressionRecord.class, value)
                .ifPresent(
                        it ->
                                impressions
                                        .computeIfAbsent(it.getEventId(), id -> new ArrayList<>())
                                        .add(it));
        decode(RetractionRecord.class, value)
                .ifPresent(
                        it ->
                                retractions
                                        .computeIfAbsent(it.getEventId(), id -> new HashSet<>())
                                        .add(it.getDecisionTime()));
    }

    private void addReward(byte[] value) {
        decode(RewardRecord.class, value)
                .ifPresent(it -> rewards.merge(it.getRewardId(), 1, Integer::sum));
    }

    /** The copies of a decision on {@code impressions}. */
    List<ImpressionRecord> impressions(String eventId) {
        return impressions.getOrDefault(eventId, List.of());
    }

    /** Whether serving has declared that an answer did not reach the caller. */
    boolean isRetracted(ImpressionRecord impression) {
        return retractions
                .getOrDefault(impression.getEventId(), Set.of())
                .contains(impression.getTime());
    }

    /** Why activations of a decision were not used. */
    List<String> unusedActivation(String eventId) {
        return unusedActivations.getOrDefault(eventId, List.of());
    }

    /** Number of copies of a reward on {@code rewards}. */
    int rewards(String rewardId) {
        return rewards.getOrDefault(rewardId, 0);
    }

    /** The entries of the journal with a decision. */
    List<Example> examples(String eventId) {
        return examples.getOrDefault(eventId, List.of());
    }

    /** The events of all examples. */
    Iterable<String> exampleEvents() {
        return examples.keySet();
    }

    /** Why copies of a decision were not used. */
    List<String> unusedDecision(String eventId) {
        return unusedDecisions.getOrDefault(eventId, List.of());
    }

    /** Why copies of a reward were not used. */
    List<String> unusedReward(String rewardId) {
        return unusedRewards.getOrDefault(rewardId, List.of());
    }

    /** Number of records that were not used, by the rule that they broke. */
    Map<String, Integer> rules() {
        return rules;
    }

    List<JournalRecord> journal() {
        return journal;
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private static <T extends SpecificRecordBase> T require(Class<T> type, byte[] value) {
        return decode(type, value)
                .orElseThrow(() -> new AssertionError("not a " + type.getSimpleName()));
    }

    /** Empty if it is a record of another kind, or poison. */
    private static <T extends SpecificRecordBase> Optional<T> decode(Class<T> type, byte[] value) {
        WireCodec<T> codec = WireCodec.of(type);
        if (value == null || !codec.accepts(value)) {
            return Optional.empty();
        }
        try {
            return Optional.of(codec.decode(value));
        } catch (UndecodableRecordException e) {
            return Optional.empty();
        }
    }
}
