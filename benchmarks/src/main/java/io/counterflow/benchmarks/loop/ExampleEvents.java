package io.counterflow.benchmarks.loop;

import io.counterflow.benchmarks.streaming.TrafficShape;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.event.Outcome;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RewardOriginRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Instant;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** The events of one loop: its spec and its examples. Three of ten examples have a reward. */
final class ExampleEvents {

    static final String LOOP = "loop";

    /** Number of different contexts; later examples repeat them. */
    private static final int CONTEXTS = 1_000;

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final TrafficShape shape;
    private final byte[][] values = new byte[CONTEXTS][];
    private final double[] rewards = new double[CONTEXTS];

    ExampleEvents(TrafficShape shape) {
        this.shape = shape;
        ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
        WireCodec<ImpressionRecord> codec = WireCodec.of(ImpressionRecord.class);
        EventRandom random = new EventRandom(1);
        for (int i = 0; i < CONTEXTS; i++) {
            Impression impression =
                    shape.impression(i, LOOP, START, RewardRule.none(), OptionalDouble.empty());
            values[i] = codec.encode(conversion.toRecord(impression));
            rewards[i] = random.nextDouble() < 0.3 ? 1.0 : 0.0;
        }
    }

    LoopSpec spec(int buffer) {
        return shape.defaults(LOOP, START)
                .with(LoopSettings.BUFFER_CAPACITY, (long) buffer)
                .with(LoopSettings.BUFFER_STEPS, 0L);
    }

    LoopEvent specEvent(int buffer) {
        return event(
                LoopEventKind.SPEC,
                0,
                "1",
                null,
                WireCodec.of(LoopSpecRecord.class)
                        .encode(LoopSpecConversion.toRecord(spec(buffer))));
    }

    /** An example, one millisecond after the previous one. */
    LoopEvent example(int number) {
        int context = number % CONTEXTS;
        return event(
                LoopEventKind.EXAMPLE,
                1L + number,
                "e-%09d".formatted(number),
                new Outcome(rewards[context], null, RewardOriginRecord.OBSERVED, 1),
                values[context]);
    }

    private static LoopEvent event(
            LoopEventKind kind, long ms, String id, @Nullable Outcome outcome, byte[] value) {
        return new LoopEvent(
                kind,
                LOOP,
                1_000L * (START.toEpochMilli() + ms),
                id,
                0L,
                outcome,
                new RawRecord("examples", 0, 0, START.toEpochMilli(), null, value));
    }
}
