package io.counterflow.flink.loop;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.flink.Feedback;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.DenseShape;
import io.counterflow.schemas.record.LoggedExampleRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RewardOriginRecord;
import io.counterflow.schemas.record.RolloutActionRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.record.RolloutModeRecord;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.LoopSpecConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import java.util.stream.IntStream;
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
        LoopSpecRecord record = LoopSpecConversion.defaults();
        record.setLoop(loop);
        record.setVersion(version);
        record.setTime(Feedback.START.plusMillis(ms));
        record.setShape(new DenseShape(List.of("a", "b", "c"), FEATURES));
        record.setObjective("ips-lpr");
        record.setLambda(1e-6);
        record.setLearningRate(0.3);
        record.setExplorationFloor(0.05);
        record.setBatchSize(8);
        record.setReplay(1);
        record.setBufferLimit(60);
        record.setSnapshotExamples(40);
        record.setRolloutMode(RolloutModeRecord.IMMEDIATE);
        return record;
    }

    public static LoopEvent specEvent(String loop, long version, long ms) {
        return specEvent(loop, version, ms, spec -> {});
    }

    public static LoopEvent specEvent(
            String loop, long version, long ms, Consumer<LoopSpecRecord> change) {
        LoopSpecRecord record = spec(loop, version, ms);
        change.accept(record);
        return event(
                LoopEventKind.SPEC,
                loop,
                record.getTime(),
                "%019d".formatted(version),
                LoopSpecRecord.class,
                record);
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
                        "anna",
                        "because");
        return event(
                LoopEventKind.COMMAND,
                loop,
                record.getTime(),
                id,
                RolloutCommandRecord.class,
                record);
    }

    /** An example that version 0 logged, uniformly; action a is good where coordinate a is high. */
    public static LoopEvent example(String loop, int number, long ms) {
        EventRandom random = EventRandom.of(loop + "/" + number);
        float[] x = new float[FEATURES];
        for (int j = 0; j < x.length; j++) {
            x[j] = (float) random.nextGaussian();
        }
        int action = random.nextInt(ACTIONS);
        double reward = x[action] + 0.5 * random.nextGaussian() > 0.0 ? 1.0 : 0.0;
        return example(
                loop,
                "e-%06d".formatted(number),
                ms,
                new Context.Vector(DenseVector.owning(x)),
                Choice.of(action, 1.0 / ACTIONS),
                0,
                reward);
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
        LoggedExampleRecord record =
                new LoggedExampleRecord(
                        IMPRESSIONS.toRecord(impression),
                        reward,
                        RewardOriginRecord.OBSERVED,
                        1,
                        impression.time());
        return event(
                LoopEventKind.EXAMPLE,
                loop,
                record.getAvailableAt(),
                eventId,
                LoggedExampleRecord.class,
                record);
    }

    /** Examples one millisecond apart. */
    public static List<LoopEvent> examples(String loop, int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> example(loop, i, 1_000L + i)).toList();
    }

    private static <T extends SpecificRecordBase> LoopEvent event(
            LoopEventKind kind, String loop, Instant time, String id, Class<T> type, T record) {
        RawRecord raw = Feedback.raw(WireCodec.of(type).encode(record));
        return new LoopEvent(kind, loop, ChronoUnit.MICROS.between(Instant.EPOCH, time), id, raw);
    }
}
