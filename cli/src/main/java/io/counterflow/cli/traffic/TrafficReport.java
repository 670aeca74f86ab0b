package io.counterflow.cli.traffic;

import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Report;

/**
 * What came of simulated traffic.
 *
 * @param loop the loop that served it
 * @param visits decisions that were answered
 * @param rewards rewards that were acknowledged, duplicates among them
 * @param failures calls that were not answered as they should have been
 * @param seconds how long it took
 */
public record TrafficReport(String loop, long visits, long rewards, long failures, double seconds)
        implements Report {

    static TrafficReport of(String loop, SimulatedUsers.Counts counts, long ns) {
        return new TrafficReport(
                loop, counts.events(), counts.rewards(), counts.failures(), ns / 1e9);
    }

    @Override
    public String toText() {
        return "%,d visits to %s and %,d rewards in %s; %,d calls failed"
                .formatted(visits, loop, rewards, Figures.seconds(seconds), failures);
    }

    @Override
    public Object toJson() {
        return this;
    }
}
