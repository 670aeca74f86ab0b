package io.counterflow.flink.loop;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LearnerKind;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.flink.Feedback;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.event.Outcome;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.NamedActionRecord;
import io.counterflow.schemas.record.RewardOriginRecord;
import io.counterflow.schemas.record.RolloutActionRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.rollout.RolloutCommandConversion;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.wire.ImpressionConversion;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.avro.specific.SpecificRecordBase;
import org.jspecify.annotations.Nullable;

/** Events of loops for tests. Times are milliseconds after {@link Feedback#START}. */
public final class LoopEvents {

    public static final int ACTIONS = 3;
    public static final int FEATURES = 4;

    private static final ImpressionConversion IMPRESSIONS =
            new ImpressionConversion(JsonLimits.defaults());

    private LoopEvents() {}

    /**
     * The spec of a small dense loop that freezes a snapshot every 40 examples. It says how it
     * learns, so that stored states of it outlive other defaults.
     */
    public static LoopSpecRecord spec(String loop, long version, long ms) {
        return LoopSpecConversion.toRecord(
                LoopSpec.builder(loop)
                        .at(version, Feedback.START.plusMillis(ms))
                        .vectors(FEATURES, "a", "b", "c")
                        .set(LoopSettings.LEARNER, LearnerKind.LPR)
                        .set(LoopSettings.OBJECTIVE_NAME, ObjectiveName.IPS_LPR)
                        .set(LoopSettings.LAMBDA, 1e-6)
                        .set(LoopSettings.LEARNING_RATE, 0.3)
                        .set(LoopSettings.EXPLORATION_FLOOR, 0.05)
                        .set(LoopSettings.BATCH_SIZE, 8L)
                        .set(LoopSettings.BUFFER_STEPS, 1L)
                        .set(LoopSettings.BUFFER_CAPACITY, 60L)
                        .set(LoopSettings.SNAPSHOT_EXAMPLES, 40L)
                        .set(LoopSettings.SNAPSHOT_REWARDS, 0.0)
                        .set(LoopSettings.ROLLOUT_MODE, RolloutMode.IMMEDIATE)
                        .build());
    }

    /** Makes it a loop with named features and, perhaps, a fixed list of actions. */
    public static void hashed(LoopSpecRecord spec, int bits, String... actions) {
        spec.setFeatures(null);
        spec.setBits((long) bits);
        spec.setActions(Stream.of(actions).map(id -> new NamedActionRecord(id, "{}")).toList());
    }

    /** Makes it a loop that serves a mixed logit with the variance that it learns. */
    public static void bayesian(LoopSpecRecord spec) {
        spec.setObjective("bcrm");
        spec.setTau(0.3);
        spec.setNormBound(4.0);
        spec.setPriorVariance(0.5);
        spec.setPolicy("mixedLogit");
        spec.setPropensityKind("upperBound");
    }

    /** The event of a spec, at its own time. */
    public static LoopEvent specEvent(LoopSpec spec) {
        return specEvent(LoopSpecConversion.toRecord(spec));
    }

    private static LoopEvent specEvent(LoopSpecRecord record) {
        return event(
                LoopEventKind.SPEC,
                record.getLoop(),
                record.getTime(),
                Long.toString(record.getVersion()),
                LoopSpecRecord.class,
                record);
    }

    public static LoopEvent specEvent(String loop, long version, long ms) {
        return specEvent(loop, version, ms, spec -> {});
    }

    public static LoopEvent specEvent(
            String loop, long version, long ms, Consumer<LoopSpecRecord> change) {
        LoopSpecRecord record = spec(loop, version, ms);
        change.accept(record);
        return specEvent(record);
    }

    public static LoopEvent command(
            String loop,
            String id,
            long ms,
            RolloutActionRecord action,
            @Nullable Long version,
            @Nullable Double share) {
        RolloutCommandRecord record =
                new RolloutCommandRecord(
                        id,
                        loop,
                        Feedback.START.plusMillis(ms),
                        action,
                        version,
                        share,
                        null,
                        null,
                        null,
                        "anna",
                        "because");
        return event(record);
    }

    /** A command as it is on the topic. */
    public static LoopEvent command(RolloutCommandRecord record) {
        return event(record);
    }

    /** A command that registers a snapshot. */
    public static LoopEvent register(String loop, String id, long ms, PolicySnapshot snapshot) {
        return event(
                RolloutCommandConversion.toRecord(
                        RolloutCommand.register(snapshot, "because"),
                        id,
                        loop,
                        Feedback.START.plusMillis(ms),
                        "anna"));
    }

    private static LoopEvent event(RolloutCommandRecord record) {
        return event(
                LoopEventKind.COMMAND,
                record.getLoop(),
                record.getTime(),
                record.getCommandId(),
                RolloutCommandRecord.class,
                record);
    }

    /** An example that version 0 logged, uniformly; action a is good where coordinate a is high. */
    public static LoopEvent example(String loop, int number, long ms) {
        return example(loop, number, ms, false);
    }

    /** The same, perhaps in the holdout. */
    public static LoopEvent example(String loop, int number, long ms, boolean holdout) {
        EventRandom random = EventRandom.named(loop + "/" + number);
        float[] x = context(random);
        Choice choice =
                new Choice(
                        random.nextInt(ACTIONS),
                        OptionalDouble.of(1.0 / ACTIONS),
                        PropensityKind.EXACT,
                        List.of(),
                        AllowedActions.ALL,
                        Optional.empty(),
                        holdout);
        return example(loop, number, ms, x, choice, random);
    }

    /** The same of a decision in which one action was excluded. */
    public static LoopEvent exampleWithout(int excluded, String loop, int number, long ms) {
        EventRandom random = EventRandom.named(loop + "/" + number);
        float[] x = context(random);
        int action = (excluded + 1 + random.nextInt(ACTIONS - 1)) % ACTIONS;
        return example(loop, number, ms, x, without(excluded, action, 1.0 / (ACTIONS - 1)), random);
    }

    private static float[] context(EventRandom random) {
        float[] x = new float[FEATURES];
        for (int j = 0; j < x.length; j++) {
            x[j] = (float) random.nextGaussian();
        }
        return x;
    }

    private static LoopEvent example(
            String loop, int number, long ms, float[] x, Choice choice, EventRandom random) {
        return example(
                loop,
                "e-%06d".formatted(number),
                ms,
                new Context.Vector(DenseVector.owning(x)),
                choice,
                0,
                x[choice.action()] + 0.5 * random.nextGaussian() > 0.0 ? 1.0 : 0.0);
    }

    /** A choice from all actions but one. */
    public static Choice without(int excluded, int action, double propensity) {
        return new Choice(
                action,
                OptionalDouble.of(propensity),
                PropensityKind.EXACT,
                List.of(),
                AllowedActions.allBut(excluded));
    }

    public static LoopEvent example(
            String loop,
            String eventId,
            long ms,
            Context context,
            Choice choice,
            long policyVersion,
            double reward) {
        return example(loop, eventId, ms, context, choice, policyVersion, 1, reward);
    }

    /** The same, of a decision under some version of the loop's spec. */
    public static LoopEvent example(
            String loop,
            String eventId,
            long ms,
            Context context,
            Choice choice,
            long policyVersion,
            long specVersion,
            double reward) {
        Impression impression =
                new Impression(
                        eventId,
                        loop,
                        policyVersion,
                        specVersion,
                        Feedback.START.plusMillis(ms),
                        context,
                        choice,
                        RewardRule.none(),
                        OptionalDouble.empty());
        return new LoopEvent(
                LoopEventKind.EXAMPLE,
                loop,
                ChronoUnit.MICROS.between(Instant.EPOCH, impression.time()),
                eventId,
                0L,
                new Outcome(
                        reward, (double) (eventId.hashCode() & 1), RewardOriginRecord.OBSERVED, 1),
                Feedback.raw(ImpressionRecord.class, IMPRESSIONS.toRecord(impression)));
    }

    /** Examples one millisecond apart. */
    public static List<LoopEvent> examples(String loop, int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> example(loop, i, 1_000L + i)).toList();
    }

    /** The deletion of a loop. */
    public static LoopEvent deletion(String loop, long ms) {
        return new LoopEvent(
                LoopEventKind.DELETION, loop, 1_000L * Feedback.at(ms), "", RawRecord.NONE);
    }

    private static <T extends SpecificRecordBase> LoopEvent event(
            LoopEventKind kind, String loop, Instant time, String id, Class<T> type, T record) {
        RawRecord raw = Feedback.raw(type, record);
        return new LoopEvent(kind, loop, ChronoUnit.MICROS.between(Instant.EPOCH, time), id, raw);
    }
}
