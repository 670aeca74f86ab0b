package io.counterflow.serving.reward;

import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.WireCodec;
import io.counterflow.serving.kafka.RecordLog;
import io.vertx.core.Future;

/** Writes down what came of decisions. Safe for use by several threads. */
public final class FeedbackLog {

    private final RecordLog log;
    private final ThreadLocal<WireCodec<RewardRecord>> rewards =
            ThreadLocal.withInitial(() -> WireCodec.of(RewardRecord.class));
    private final ThreadLocal<WireCodec<ActivationRecord>> activations =
            ThreadLocal.withInitial(() -> WireCodec.of(ActivationRecord.class));

    public FeedbackLog(RecordLog log) {
        this.log = log;
    }

    /** Succeeds when Kafka has the reward. */
    public Future<Void> append(RewardRecord reward) {
        return log.append(Topic.REWARDS, reward.getEventId(), rewards.get().encode(reward));
    }

    /** Succeeds when Kafka has the activation. */
    public Future<Void> append(ActivationRecord activation) {
        return log.append(
                Topic.REWARDS, activation.getEventId(), activations.get().encode(activation));
    }
}
