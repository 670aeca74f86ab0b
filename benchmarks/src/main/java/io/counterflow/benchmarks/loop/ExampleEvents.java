package io.counterflow.benchmarks.loop;

import io.counterflow.benchmarks.streaming.TrafficShape;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.LoggedExampleRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RewardOriginRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.OptionalDouble;

/** The events of one loop: its spec and its examples. Three of ten examples have a reward. */
final class ExampleEvents {

    static final String LOOP = "loop";

    /** Number of different contexts; later examples repeat them. */
    private static final int CONTEXTS = 1_000;

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final TrafficShape shape;
    private final byte[][] values = new byte[CONTEXTS][];

    ExampleEvents(TrafficShape shape) {
        this.shape = shape;
        ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
        WireCodec<LoggedExampleRecord> codec = WireCodec.of(LoggedExampleRecord.class);
        EventRandom random = new EventRandom(1);
        for (int i = 0; i < CONTEXTS; i++) {
            Impression impression =
                    shape.impression(i, LOOP, START, RewardRule.none(), OptionalDouble.empty());
            values[i] =
                    codec.encode(
                            new LoggedExampleRecord(
                                    conversion.toRecord(impression),
                                    random.nextDouble() < 0.3 ? 1.0 : 0.0,
                                    null,
                                    RewardOriginRecord.OBSERVED,
                                    1,
                                    START));
        }
    }

    LoopSpec spec(int buffer) {
        return shape.spec(LOOP, START).with(LoopSettings.BUFFER_CAPACITY, (long) buffer);
    }

    LoopEvent specEvent(int buffer) {
        return event(
                LoopEventKind.SPEC,
                0,
                "%019d".formatted(1),
                WireCodec.of(LoopSpecRecord.class)
                        .encode(LoopSpecConversion.toRecord(spec(buffer))));
    }

    /** An example, one millisecond after the previous one. */
    LoopEvent example(int number) {
        return event(
                LoopEventKind.EXAMPLE,
                1L + number,
                "e-%09d".formatted(number),
                values[number % CONTEXTS]);
    }

    private static LoopEvent event(LoopEventKind kind, long ms, String id, byte[] value) {
        return new LoopEvent(
                kind,
                LOOP,
                ChronoUnit.MICROS.between(Instant.EPOCH, START.plusMillis(ms)),
                id,
                new RawRecord(
                        "impressions",
                        0,
                        ms,
                        START.toEpochMilli(),
                        id.getBytes(StandardCharsets.UTF_8),
                        value));
    }
}
