package io.counterflow.serving.reward;

import io.counterflow.client.kafka.RecordProducer;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.client.rank.Names;
import io.counterflow.client.rank.RandomIds;
import io.counterflow.core.log.RewardMetric;
import io.counterflow.core.log.RewardRange;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.RewardMetricRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.WireCodec;
import io.counterflow.serving.http.ProblemException;
import io.vertx.core.CompositeFuture;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Writes rewards and activations to Kafka. Safe for use by several threads. */
public final class FeedbackService {

    private static final Instant EARLIEST = Instant.parse("2000-01-01T00:00:00Z");

    /** How far a caller's clock may be ahead: half of what the job accepts. */
    private static final Duration SKEW = Duration.ofSeconds(30);

    private final PolicyStore policies;
    private final RecordProducer log;
    private final Consumer<String> rewarded;
    private final Clock clock;
    private final ThreadLocal<WireCodec<RewardRecord>> rewards =
            ThreadLocal.withInitial(() -> WireCodec.of(RewardRecord.class));
    private final ThreadLocal<WireCodec<ActivationRecord>> activations =
            ThreadLocal.withInitial(() -> WireCodec.of(ActivationRecord.class));

    /**
     * @param rewarded receives the loop of each reward that Kafka has acknowledged
     */
    public FeedbackService(
            PolicyStore policies, RecordProducer log, Consumer<String> rewarded, Clock clock) {
        this.policies = policies;
        this.log = log;
        this.rewarded = rewarded;
        this.clock = clock;
    }

    /**
     * A reward as it was sent.
     *
     * @param value the reward in the range of the loop, or the guardrail reward, in [0, 1]
     * @param rewardId its id, by which duplicates are dropped; empty for a new one
     * @param time the time of the reward; empty for now
     * @param metric what it measures
     */
    public record Reward(
            double value, Optional<String> rewardId, Optional<Instant> time, RewardMetric metric) {
        public Reward {
            rewardId.ifPresent(id -> Names.require("rewardId", id));
        }
    }

    /**
     * Writes a reward.
     *
     * @return its id, when Kafka has acknowledged it
     */
    public Future<String> reward(String loop, String eventId, Reward reward) {
        return rewards(loop, Map.of(eventId, reward)).map(ids -> ids.get(0));
    }

    /**
     * Writes the rewards of several events, or none if one of them is not valid.
     *
     * @return their ids, when Kafka has acknowledged all of them
     */
    public Future<List<String>> rewards(String loop, Map<String, Reward> ofEvents) {
        List<RewardRecord> records = new ArrayList<>();
        ofEvents.forEach((eventId, reward) -> records.add(record(loop, eventId, reward)));
        List<Future<String>> written = records.stream().map(this::append).toList();
        return Future.all(written).map(CompositeFuture::list);
    }

    private RewardRecord record(String loop, String eventId, Reward reward) {
        LoopSpec spec = require(loop, eventId);
        // Otherwise a missing setting would look like a guardrail that nobody violates.
        Require.that(
                reward.metric() == RewardMetric.REWARD
                        || spec.rewardRule().guardrailDefault().isPresent(),
                "metric must be reward, because the loop has no guardrailMargin, got guardrail");
        return new RewardRecord(
                reward.rewardId().orElseGet(RandomIds::next),
                eventId,
                loop,
                time(reward.time()),
                unitOf(spec, reward).toUnit("value", reward.value()),
                RewardMetricRecord.valueOf(reward.metric().name()));
    }

    private Future<String> append(RewardRecord record) {
        String rewardId = record.getRewardId();
        return append(
                        record.getEventId(),
                        rewards.get().encode(record),
                        ProblemException.notLogged(
                                        "the reward was not stored in time; send it again with this"
                                                + " rewardId")
                                .with("rewardId", rewardId))
                .map(
                        done -> {
                            if (record.getMetric() == RewardMetricRecord.REWARD) {
                                rewarded.accept(record.getLoop());
                            }
                            return rewardId;
                        });
    }

    private static RewardRange unitOf(LoopSpec spec, Reward reward) {
        return reward.metric() == RewardMetric.REWARD ? spec.rewardRange() : RewardRange.UNIT;
    }

    /** Writes an activation; succeeds when Kafka has acknowledged it. */
    public Future<Void> activate(String loop, String eventId) {
        require(loop, eventId);
        ActivationRecord record = new ActivationRecord(eventId, loop, time(Optional.empty()));
        return append(
                eventId,
                activations.get().encode(record),
                ProblemException.notLogged("the activation was not stored in time; send it again"));
    }

    private Future<Void> append(String eventId, byte[] value, ProblemException ifNotStored) {
        return Future.fromCompletionStage(
                        log.append(Topic.REWARDS, eventId, clock.instant(), value))
                .recover(failure -> Future.failedFuture(ifNotStored.because(failure)));
    }

    private LoopSpec require(String loop, String eventId) {
        LoopSpec spec =
                policies.loop(loop)
                        .map(ServedLoop::spec)
                        .orElseThrow(() -> ProblemException.notServed(loop, policies));
        Names.require("eventId", eventId);
        return spec;
    }

    private Instant time(Optional<Instant> given) {
        Instant now = clock.instant();
        Instant time = given.orElse(now).truncatedTo(ChronoUnit.MICROS);
        if (time.isBefore(EARLIEST) || time.isAfter(now.plus(SKEW))) {
            throw new IllegalArgumentException(
                    "time must be between %s and now, got %s".formatted(EARLIEST, time));
        }
        return time;
    }
}
