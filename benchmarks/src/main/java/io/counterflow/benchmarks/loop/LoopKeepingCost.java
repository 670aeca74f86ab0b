package io.counterflow.benchmarks.loop;

import io.counterflow.benchmarks.loop.KeptLoopOperator.Keeping;
import io.counterflow.benchmarks.streaming.Cost;
import io.counterflow.benchmarks.streaming.RocksDbHarness;
import io.counterflow.benchmarks.streaming.TrafficShape;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.ScoredExample;
import io.counterflow.flink.loop.LoopOperator;
import io.counterflow.flink.loop.LoopOperatorConfig;
import java.util.Locale;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;

/**
 * Measures the cost of an example in the loop operator, with loops in memory, with loops that are
 * written at each example, and with loops that are read and written at each example. Runs on
 * RocksDB in Flink's test harness. Prints a JSON object for each way, with the ratio to loops in
 * memory within this run.
 */
public final class LoopKeepingCost {

    private static final int LARGE_BUFFER = 10_000;

    private static final int EVENTS_PER_WATERMARK = 500;

    private LoopKeepingCost() {}

    public static void main(String[] args) throws Exception {
        for (TrafficShape shape : TrafficShape.values()) {
            ExampleEvents events = new ExampleEvents(shape);
            int few = shape == TrafficShape.DENSE ? 2_000 : 200; // a NAMED loop has two megabytes
            int full = LARGE_BUFFER + 100; // then each new example evicts another one
            Cost heap =
                    cost(
                            new LoopOperator(LoopOperatorConfig.defaults()),
                            events,
                            LARGE_BUFFER,
                            full,
                            20_000);
            print(shape, "LoopOperator", LARGE_BUFFER, heap, heap);
            print(
                    shape,
                    Keeping.ON_HEAP.name(),
                    LARGE_BUFFER,
                    cost(new KeptLoopOperator(Keeping.ON_HEAP), events, LARGE_BUFFER, full, 20_000),
                    heap);
            print(
                    shape,
                    Keeping.WRITTEN.name(),
                    LARGE_BUFFER,
                    cost(new KeptLoopOperator(Keeping.WRITTEN), events, LARGE_BUFFER, few, few),
                    heap);
            for (int buffer : new int[] {100, 1_000}) {
                print(
                        shape,
                        Keeping.READ_AND_WRITTEN.name(),
                        buffer,
                        cost(
                                new KeptLoopOperator(Keeping.READ_AND_WRITTEN),
                                events,
                                buffer,
                                buffer + 100,
                                200),
                        heap);
            }
        }
    }

    /**
     * @param before number of examples before the measurement
     */
    private static Cost cost(
            OneInputStreamOperator<LoopEvent, ScoredExample> operator,
            ExampleEvents events,
            int buffer,
            int before,
            int counted)
            throws Exception {
        try (var harness = new RocksDbHarness<>(operator, LoopEvent::loop, ScoredExample.class)) {
            take(harness, events.specEvent(buffer), 0);
            for (int i = 0; i < before; i++) {
                take(harness, events.example(i), i);
            }
            return Cost.of(counted, i -> take(harness, events.example(before + i), i));
        }
    }

    private static void take(
            RocksDbHarness<LoopEvent, ScoredExample> harness, LoopEvent event, int number)
            throws Exception {
        harness.take(event, event.timeMs());
        if (number % EVENTS_PER_WATERMARK == 0) {
            harness.watermark(event.timeMs());
        }
    }

    private static void print(TrafficShape shape, String way, int buffer, Cost cost, Cost heap) {
        System.out.printf(
                Locale.ROOT,
                "{\"shape\":\"%s\",\"way\":\"%s\",\"buffer\":%d,\"cpuNsPerExample\":%.0f,"
                        + "\"threadNsPerExample\":%.0f,\"bytesPerExample\":%.0f,"
                        + "\"againstLoopOperator\":%.2f}%n",
                shape,
                way,
                buffer,
                cost.ns(),
                cost.threadNs(),
                cost.bytes(),
                cost.ns() / heap.ns());
    }
}
