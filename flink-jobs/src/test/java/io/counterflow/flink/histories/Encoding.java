package io.counterflow.flink.histories;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardMetric;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.flink.Feedback;
import io.counterflow.flink.loop.LoopEvents;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RetractionRecord;
import io.counterflow.schemas.record.RewardMetricRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.record.RolloutActionRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Encodes what a record says as its producer would. */
final class Encoding {

    private static final WireCodec<ImpressionRecord> IMPRESSION =
            WireCodec.of(ImpressionRecord.class);
    private static final WireCodec<RetractionRecord> RETRACTION =
            WireCodec.of(RetractionRecord.class);
    private static final WireCodec<RewardRecord> REWARD = WireCodec.of(RewardRecord.class);
    private static final WireCodec<ActivationRecord> ACTIVATION =
            WireCodec.of(ActivationRecord.class);
    private static final WireCodec<HeartbeatRecord> HEARTBEAT = WireCodec.of(HeartbeatRecord.class);
    private static final WireCodec<LoopSpecRecord> SPEC = WireCodec.of(LoopSpecRecord.class);
    private static final WireCodec<RolloutCommandRecord> COMMAND =
            WireCodec.of(RolloutCommandRecord.class);
    private static final ImpressionConversion IMPRESSIONS =
            new ImpressionConversion(JsonLimits.defaults());

    private static final String[] MODES = {"immediate", "gated", "manual"};
    private static final String[] LEARNERS = {"lpr", "reward-model", "best"};

    private static final RolloutActionRecord[] ACTIONS = {
        RolloutActionRecord.PROMOTE,
        RolloutActionRecord.ROLLBACK,
        RolloutActionRecord.PAUSE,
        RolloutActionRecord.RESUME,
        RolloutActionRecord.CANARY,
        RolloutActionRecord.REGISTER,
        RolloutActionRecord.WITHDRAW
    };

    private Encoding() {}

    static Instant time(long micros) {
        return Feedback.START.plus(micros, ChronoUnit.MICROS);
    }

    /** The value of a record; null for a tombstone. */
    static byte @Nullable [] value(Meaning meaning) {
        if (meaning instanceof Meaning.Decision it) {
            return IMPRESSION.encode(impression(it));
        } else if (meaning instanceof Meaning.Retraction it) {
            return RETRACTION.encode(new RetractionRecord(it.event(), it.loop(), time(it.at())));
        } else if (meaning instanceof Meaning.Reward it) {
            return REWARD.encode(reward(it));
        } else if (meaning instanceof Meaning.Activation it) {
            return ACTIVATION.encode(new ActivationRecord(it.event(), it.loop(), time(it.at())));
        } else if (meaning instanceof Meaning.Spec it) {
            return SPEC.encode(spec(it));
        } else if (meaning instanceof Meaning.Command it) {
            return COMMAND.encode(command(it));
        } else if (meaning instanceof Meaning.Heartbeat it) {
            return HEARTBEAT.encode(new HeartbeatRecord("simulated", time(it.at())));
        } else if (meaning instanceof Meaning.Garbage) {
            return "no record".getBytes(StandardCharsets.UTF_8);
        }
        return null; // a deletion
    }

    private static RewardRecord reward(Meaning.Reward it) {
        return new RewardRecord(
                it.id(),
                it.event(),
                it.loop(),
                time(it.at()),
                it.value(),
                it.metric() == RewardMetric.REWARD
                        ? RewardMetricRecord.REWARD
                        : RewardMetricRecord.GUARDRAIL);
    }

    private static ImpressionRecord impression(Meaning.Decision it) {
        EventRandom random = EventRandom.named(it.loop() + "/" + it.event());
        float[] x = new float[it.fits() ? LoopEvents.FEATURES : 2];
        for (int j = 0; j < x.length; j++) {
            x[j] = (float) random.nextGaussian();
        }
        return IMPRESSIONS.toRecord(
                new Impression(
                        it.event(),
                        it.loop(),
                        it.policyVersion(),
                        1,
                        time(it.at()),
                        new Context.Vector(DenseVector.owning(x)),
                        Choice.of(it.action(), 1.0 / LoopEvents.ACTIONS),
                        new RewardRule(
                                Duration.ofMillis(it.windowMs()),
                                it.defaultReward(),
                                it.aggregation(),
                                it.deferred(),
                                it.guardrail(),
                                it.zero()),
                        it.reward()));
    }

    private static LoopSpecRecord spec(Meaning.Spec it) {
        LoopSpecRecord record = LoopEvents.spec(it.loop(), it.version(), 0);
        EventRandom random = new EventRandom(it.choice());
        record.setTime(time(it.at()));
        record.setSnapshotExamples(2L + random.nextInt(4));
        record.setBatchSize(1L + random.nextInt(3));
        record.setBufferSteps((long) random.nextInt(3));
        record.setBufferCapacity(4L + random.nextInt(12));
        record.setRolloutMode(MODES[random.nextInt(MODES.length)]);
        record.setLearner(LEARNERS[random.nextInt(LEARNERS.length)]);
        record.setSnapshotRewards((double) random.nextInt(3));
        record.setLambda(random.nextInt(2) == 0 ? 1e-6 : 1e-3);
        if (random.nextInt(4) == 0) {
            record.setHoldoutShare(0.2);
        }
        if (random.nextInt(4) == 0) {
            record.setGuardrailMargin(0.5);
        }
        if (!it.valid()) {
            record.setLearningRate(-1.0);
        }
        return record;
    }

    private static RolloutCommandRecord command(Meaning.Command it) {
        EventRandom random = new EventRandom(it.choice());
        RolloutActionRecord action = ACTIONS[random.nextInt(ACTIONS.length)];
        boolean named = action == RolloutActionRecord.WITHDRAW || random.nextInt(3) == 0;
        RolloutCommandRecord record =
                new RolloutCommandRecord(
                        it.id(),
                        it.loop(),
                        time(it.at()),
                        action,
                        named ? Long.valueOf(random.nextInt(5)) : null,
                        action == RolloutActionRecord.CANARY ? 0.3 : null,
                        null,
                        null,
                        null,
                        "anna",
                        "because");
        if (action == RolloutActionRecord.REGISTER) {
            record.setVersion(null);
            record.setConstantAction("a");
        }
        return record;
    }
}
