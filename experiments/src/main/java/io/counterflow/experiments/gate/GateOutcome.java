package io.counterflow.experiments.gate;

import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The decisions of the gate in many streams of a scenario.
 *
 * @param scenario the scenario
 * @param streams number of streams of each kind
 * @param wrong number of streams in which the gate decided although it should not
 * @param right number of streams in which it decided as it should
 * @param medianEvents median number of events until it did; −1 if it did in less than half of them
 */
record GateOutcome(GateScenario scenario, int streams, long wrong, long right, int medianEvents) {

    /** Runs the streams on all processors. */
    static GateOutcome of(GateScenario scenario, int streams, int events) {
        long wrong =
                LongStream.range(0, streams)
                        .parallel()
                        .filter(seed -> scenario.run(true, events, seed) >= 0)
                        .count();
        int[] decided =
                IntStream.range(0, streams)
                        .parallel()
                        .map(seed -> scenario.run(false, events, seed))
                        .filter(at -> at >= 0)
                        .sorted()
                        .toArray();
        return new GateOutcome(
                scenario,
                streams,
                wrong,
                decided.length,
                2 * decided.length < streams ? -1 : decided[(streams - 1) / 2]);
    }
}
