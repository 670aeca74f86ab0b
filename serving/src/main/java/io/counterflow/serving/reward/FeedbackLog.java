package io.counterflow.serving.reward;

import io.counterflow.client.kafka.RecordProducer;
import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.WireCodec;
import io.vertx.core.Future;
import java.util.function.Consumer;

/** Writes down what came of decisions. Safe for use by several threads. */
public final class FeedbackLog {

    private final RecordProducer log;
    private final Consumer<String> rewarded;
    private final ThreadLocal<WireCodec<RewardRecord>> rewards =
            ThreadLocal.withInitial(() -> WireCodec.of(RewardRecord.class));
    private final ThreadLocal<WireCodec<ActivationRecord>> activations =
            ThreadLocal.withInitial(() -> WireCodec.of(ActivationRecord.class));

    /**
     * @param rewarded is told the loop of each reward that Kafka has
     */
    public FeedbackLog(RecordProducer log, Consumer<String> rewarded) {
        this.log = log;
        this.rewarded = rewarded;
    }

    /** Succeeds when Kafka has the reward. */
    public Future<Void> append(RewardRecord reward) {
        return Future.fromCompletionStage(
                        log.append(
                                Topic.REWARDS, reward.getEventId(), rewards.get().encode(reward)))
                .onSuccess(done -> rewarded.accept(reward.getLoop()));
    }

    /** Succeeds when Kafka has the activation. */
    public Future<Void> append(ActivationRecord activation) {
        return Future.fromCompletionStage(
                log.append(
                        Topic.REWARDS,
                        activation.getEventId(),
                        activations.get().encode(activation)));
    }
}
