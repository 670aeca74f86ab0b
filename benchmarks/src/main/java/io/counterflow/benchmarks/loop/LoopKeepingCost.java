package io.counterflow.benchmarks.loop;

import io.counterflow.flink.loop.LoopOperator;
import io.counterflow.flink.loop.LoopOperatorConfig;

import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.ScoredExample;

import io.counterflow.benchmarks.streaming.Cost;
import io.counterflow.benchmarks.streaming.RocksDbHarness;
import io.counterflow.benchmarks.streaming.TrafficShape;
import io.counterflow.benchmarks.loop.KeptLoopOperator.Keeping;
import java.util.Locale;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;

/**
 * What an example costs in the operator of all loops, with loops at hand on the heap, and with
 * loops that are written, or read and written, at each example. On RocksDB, in Flink's harness.
 * Prints a JSON object for each way; what is against the heap is a ratio within this run.
 */
public final class LoopKeepingCost {

    private static final int LARGE_BUFFER = 10_000;

    private static final int EVENTS_PER_WATERMARK = 500;

    private LoopKeepingCost() {}

    public static void main(String[] args) throws Exception {
        for (TrafficShape shape : TrafficShape.values()) {
            ExampleEvents events = new ExampleEvents(shape);
            int few = shape == TrafficShape.DENSE ? 2_000 : 200; // of two megabytes each
            int full = LARGE_BUFFER + 100; // then each example pushes another one out
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
     * @param before examples that are taken before those that count
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
