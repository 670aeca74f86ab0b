package io.counterflow.benchmarks.loop;

import io.counterflow.benchmarks.streaming.Cost;
import io.counterflow.benchmarks.streaming.RocksDbHarness;
import io.counterflow.benchmarks.streaming.TrafficShape;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.loop.LoopOperator;
import io.counterflow.flink.sinks.CheckpointGuard;
import io.counterflow.flink.sinks.OutgoingRecord;
import java.util.Locale;
import java.util.Map;

/**
 * Measures the cost of an example in the loop operator, with a buffer of 10,000 examples and
 * without additional steps. Runs on RocksDB in Flink's test harness. Prints a JSON object for each
 * shape.
 */
public final class LoopCost {

    private static final int BUFFER = 10_000;
    private static final int BEFORE = 20_000; // so that the buffer is full
    private static final int COUNTED = 40_000;
    private static final int EXAMPLES_PER_WATERMARK = 200;

    private LoopCost() {}

    public static void main(String[] args) throws Exception {
        for (TrafficShape shape : TrafficShape.values()) {
            run(shape);
        }
    }

    private static void run(TrafficShape shape) throws Exception {
        JobConfig config = JobConfig.parse("", Map.of());
        ExampleEvents events = new ExampleEvents(shape);
        try (RocksDbHarness<LoopEvent, OutgoingRecord> harness =
                new RocksDbHarness<>(
                        new LoopOperator(
                                config.loop(),
                                config.windows(),
                                config.sink(),
                                config.topics(),
                                new NothingWritten(),
                                LoopOperator.Source.LIVE),
                        LoopEvent::loop,
                        OutgoingRecord.class)) {
            harness.take(events.specEvent(BUFFER), 0);
            for (int i = 0; i < BEFORE; i++) {
                take(harness, events.example(i));
            }
            Cost making = Cost.of(COUNTED, i -> events.example(BEFORE + i));
            Cost cost = Cost.of(COUNTED, i -> take(harness, events.example(BEFORE + i)));
            System.out.printf(
                    Locale.ROOT,
                    "{\"shape\":\"%s\",\"cpuNsPerExample\":%.0f,\"threadNsPerExample\":%.0f,"
                            + "\"bytesPerExample\":%.0f}%n",
                    shape,
                    cost.ns() - making.ns(),
                    cost.threadNs() - making.threadNs(),
                    cost.bytes() - making.bytes());
        }
    }

    private static void take(RocksDbHarness<LoopEvent, OutgoingRecord> harness, LoopEvent event)
            throws Exception {
        harness.take(event, event.timeMs());
        if (event.timeMs() % EXAMPLES_PER_WATERMARK == 0) {
            harness.watermark(event.timeMs());
        }
    }

    /** Nothing is written in a harness, so there is nothing to check. */
    private static final class NothingWritten implements CheckpointGuard {

        private static final long serialVersionUID = 1L;

        @Override
        public void requireCommitted(Map<Integer, Long> restored) {}

        @Override
        public void requireNothingCommitted() {}
    }
}
