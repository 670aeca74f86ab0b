package io.counterflow.serving.reward;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.rank.Names;
import io.counterflow.core.numeric.Require;
import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.serving.http.Problem;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;

/** Takes rewards and activations, and says when Kafka has them. */
public final class FeedbackService {

    private static final Instant EARLIEST = Instant.parse("2000-01-01T00:00:00Z");

    /** How far a caller's clock may be ahead of ours: half of what the job lets pass. */
    private static final Duration SKEW = Duration.ofSeconds(30);

    private final PolicyStore policies;
    private final FeedbackLog log;
    private final Clock clock;

    public FeedbackService(PolicyStore policies, FeedbackLog log, Clock clock) {
        this.policies = policies;
        this.log = log;
        this.clock = clock;
    }

    /**
     * A reward as it was sent.
     *
     * @param value how good it was, in [0, 1]
     * @param rewardId its name, by which duplicates are dropped; empty to have one made
     * @param time when it happened; empty for now
     */
    public record Reward(double value, Optional<String> rewardId, Optional<Instant> time) {
        public Reward {
            Require.share(value, "value");
            rewardId.ifPresent(id -> Names.require("rewardId", id));
        }
    }

    /**
     * Takes a reward.
     *
     * @return its id, once Kafka has it
     */
    public Future<String> reward(String loop, String eventId, Reward reward) {
        requireLoop(loop);
        Names.require("eventId", eventId);
        String rewardId = reward.rewardId().orElseGet(() -> UUID.randomUUID().toString());
        RewardRecord record =
                new RewardRecord(rewardId, eventId, loop, time(reward.time()), reward.value());
        return log.append(record)
                .map(done -> rewardId)
                .recover(
                        failure ->
                                Future.failedFuture(
                                        Problem.notLogged(
                                                        "the reward could not be stored in time;"
                                                                + " send it again with this"
                                                                + " rewardId")
                                                .with("rewardId", rewardId)
                                                .asException()));
    }

    /** Takes an activation; succeeds once Kafka has it. */
    public Future<Void> activate(String loop, String eventId) {
        requireLoop(loop);
        Names.require("eventId", eventId);
        return log.append(new ActivationRecord(eventId, loop, time(Optional.empty())))
                .recover(
                        failure ->
                                Future.failedFuture(
                                        Problem.notLogged(
                                                        "the activation could not be stored in"
                                                                + " time; send it again")
                                                .asException()));
    }

    private void requireLoop(String loop) {
        if (policies.loop(loop).isEmpty()) {
            throw Problem.unknownLoop(loop).asException();
        }
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
