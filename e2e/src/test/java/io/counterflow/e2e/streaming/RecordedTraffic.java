package io.counterflow.e2e.streaming;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.json.NamedFeaturesJson;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RewardMetricRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.record.RolloutActionRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.UnaryOperator;
import org.apache.avro.specific.SpecificRecordBase;

/**
 * The records of three loops in two and a half minutes: ten decisions per second, rewards that are
 * early, late, duplicate or missing, a changed spec and commands.
 */
final class RecordedTraffic {

    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    static final int DECISIONS = 1_500;
    static final List<String> LOOPS = List.of("articles", "offers", "mail");

    private static final Duration APART = Duration.ofMillis(100);
    private static final ImpressionConversion IMPRESSIONS =
            new ImpressionConversion(JsonLimits.defaults());
    private static final NamedFeaturesJson FEATURES = new NamedFeaturesJson(JsonLimits.defaults());
    private static final RewardRule RULE =
            new RewardRule(Duration.ofSeconds(2), 0.0, RewardAggregation.MAX, false);

    /**
     * A record to send.
     *
     * @param time its event time
     */
    @SuppressWarnings("ArrayRecordComponent") // they are not compared
    record Sent(Topic topic, String key, byte[] value, Instant time) {}

    private final List<Sent> sent = new ArrayList<>();

    RecordedTraffic() {
        sent.add(spec("articles", START, it -> it.vectors(4, "a", "b", "c")));
        sent.add(spec("offers", START, it -> it.names(10)));
        sent.add(spec("mail", START, it -> it.vectors(4, "now", "later")));
        for (int i = 0; i < DECISIONS; i++) {
            decide(i);
        }
        sent.add(command("mail", "first", timeOf(700), RolloutActionRecord.PROMOTE));
        sent.add(command("mail", "second", timeOf(1_000), RolloutActionRecord.ROLLBACK));
        sent.add(command("articles", "pause", timeOf(1_100), RolloutActionRecord.PAUSE));
        sent.sort(Comparator.comparing(Sent::time));
    }

    /** All records in the order of their time, in parts that begin with a command. */
    List<List<Sent>> partsAtCommands() {
        List<List<Sent>> parts = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < sent.size(); i++) {
            if (sent.get(i).topic() == Topic.ROLLOUT_COMMANDS) {
                parts.add(sent.subList(from, i));
                from = i;
            }
        }
        parts.add(sent.subList(from, sent.size()));
        return parts;
    }

    /** All records in the order of their time. */
    List<Sent> inOrder() {
        return List.copyOf(sent);
    }

    /** All records, each up to four seconds late, which is less than watermarks allow. */
    List<Sent> outOfOrder(long seed) {
        EventRandom random = new EventRandom(seed);
        record Arrival(Sent sent, Instant at) {}
        return sent.stream()
                .map(it -> new Arrival(it, it.time().plusMillis(random.nextInt(4_000))))
                .sorted(Comparator.comparing(Arrival::at))
                .map(Arrival::sent)
                .toList();
    }

    static Instant timeOf(int decision) {
        return START.plusSeconds(1).plus(APART.multipliedBy(decision));
    }

    /** A time after all records. */
    static Instant end() {
        return timeOf(DECISIONS).plusSeconds(60);
    }

    private void decide(int i) {
        String loop = LOOPS.get(i % LOOPS.size());
        String eventId = "e-%05d".formatted(i);
        EventRandom random = EventRandom.named(eventId);
        int actions = loop.equals("articles") ? 3 : 2;
        int action = random.nextInt(actions);
        float[] x = new float[4];
        for (int j = 0; j < x.length; j++) {
            x[j] = (float) random.nextGaussian();
        }
        Impression impression =
                new Impression(
                        eventId,
                        loop,
                        0,
                        1,
                        timeOf(i),
                        loop.equals("offers") ? named(x) : new Context.Vector(DenseVector.of(x)),
                        Choice.of(action, 1.0 / actions),
                        RULE,
                        OptionalDouble.empty());
        sent.add(
                of(
                        Topic.IMPRESSIONS,
                        eventId,
                        ImpressionRecord.class,
                        IMPRESSIONS.toRecord(impression),
                        impression.time()));
        if (x[action] > 0) {
            Instant time = impression.time().plusMillis(random.nextInt(2_200));
            Sent reward = reward(eventId, loop, time, 0.25 * (1 + random.nextInt(4)));
            sent.add(reward);
            if (random.nextInt(10) == 0) {
                sent.add(reward);
            }
        }
    }

    private static Context named(float[] x) {
        return new Context.Named(
                FEATURES.read("{\"user\":{\"x\":%s,\"y\":%s}}".formatted(x[0], x[1])),
                List.of(
                        new NamedAction("x", FEATURES.read("{\"offer\":{\"is\":\"x\"}}")),
                        new NamedAction("y", FEATURES.read("{\"offer\":{\"is\":\"y\"}}"))));
    }

    private static Sent reward(String eventId, String loop, Instant time, double value) {
        return of(
                Topic.REWARDS,
                eventId,
                RewardRecord.class,
                new RewardRecord("r", eventId, loop, time, value, RewardMetricRecord.REWARD),
                time);
    }

    private static Sent spec(String loop, Instant time, UnaryOperator<LoopSpec.Builder> shape) {
        LoopSpec spec =
                shape.apply(LoopSpec.builder(loop).at(1, time))
                        .set(LoopSettings.BATCH_SIZE, 10L)
                        .set(LoopSettings.BUFFER_STEPS, 2L)
                        .set(LoopSettings.SNAPSHOT_EXAMPLES, 60L)
                        .set(LoopSettings.BUFFER_CAPACITY, 200L)
                        .set(LoopSettings.LEARNING_RATE, 0.5)
                        .set(LoopSettings.ROLLOUT_MODE, modeOf(loop))
                        .build();
        return of(Topic.LOOPS, loop, LoopSpecRecord.class, LoopSpecConversion.toRecord(spec), time);
    }

    private static RolloutMode modeOf(String loop) {
        return switch (loop) {
            case "articles" -> RolloutMode.IMMEDIATE;
            case "offers" -> RolloutMode.GATED;
            default -> RolloutMode.MANUAL;
        };
    }

    private static Sent command(String loop, String id, Instant time, RolloutActionRecord action) {
        return of(
                Topic.ROLLOUT_COMMANDS,
                loop,
                RolloutCommandRecord.class,
                new RolloutCommandRecord(
                        id, loop, time, action, null, null, null, null, null, "anna", "a trial"),
                time);
    }

    private static <T extends SpecificRecordBase> Sent of(
            Topic topic, String key, Class<T> type, T record, Instant time) {
        return new Sent(topic, key, WireCodec.of(type).encode(record), time);
    }
}
