package io.counterflow.cli.demo;

import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** What the demo has shown. */
public final class DemoReport implements Report {

    private final DemoStatus end;
    private final long totalEvents;
    private final OptionalDouble secondsToFirstDecision;
    private final OptionalDouble secondsToFirstSnapshot;

    public DemoReport(
            DemoStatus end,
            long totalEvents,
            OptionalDouble secondsToFirstDecision,
            OptionalDouble secondsToFirstSnapshot) {
        this.end = end;
        this.totalEvents = totalEvents;
        this.secondsToFirstDecision = secondsToFirstDecision;
        this.secondsToFirstSnapshot = secondsToFirstSnapshot;
    }

    @Override
    public String toText() {
        Table table =
                Table.withColumns("version", "examples", "mean reward", "at least", "true value");
        for (Generation generation : end.learning().generations()) {
            table.row(
                    Long.toString(generation.version()),
                    generation.examples(),
                    orNull(generation.meanReward()),
                    orNull(generation.lowerBound()),
                    orNull(generation.trueValue()));
        }
        DemoStatus.Values values = end.values();
        return """
                %s in %s; versions that decided:

                %s
                uniform %s, best possible %s, now %s
                """
                .formatted(
                        Figures.count(end.traffic().events(), "visit", "visits"),
                        Figures.seconds(end.elapsed().toMillis() / 1e3),
                        table,
                        Figures.of(values.uniform()),
                        Figures.of(values.best()),
                        Double.isNaN(values.recent()) ? "-" : Figures.of(values.recent()));
    }

    @Override
    public Object toJson() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("events", end.traffic().events());
        List<Object> generations = new ArrayList<>();
        end.learning().generations().forEach(it -> generations.add(toJson(it)));
        json.put("generations", generations);
        json.put("baselineReward", end.values().uniform());
        json.put("finalReward", end.values().recent());
        json.put("firstReward", end.learning().generations().get(0).meanReward());
        json.put("bestReward", end.values().best());
        json.put("totalEvents", totalEvents);
        json.put("rewards", end.traffic().rewards());
        json.put("joined", end.traffic().joined());
        json.put("late", end.traffic().late());
        json.put("deadLetters", end.traffic().dead());
        json.put("failedCalls", end.traffic().failures());
        json.put("snapshots", end.learning().snapshots());
        json.put("newestVersion", end.learning().newestVersion());
        json.put("seconds", end.elapsed().toMillis() / 1e3);
        json.put("secondsToFirstDecision", orNull(secondsToFirstDecision));
        json.put("secondsToFirstSnapshot", orNull(secondsToFirstSnapshot));
        json.put("maxHeapBytes", Runtime.getRuntime().maxMemory());
        return json;
    }

    private static Map<String, @Nullable Object> toJson(Generation generation) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("version", generation.version());
        json.put("examples", generation.examples());
        json.put("meanReward", generation.meanReward());
        json.put("lowerBound", orNull(generation.lowerBound()));
        json.put("trueValue", orNull(generation.trueValue()));
        return json;
    }

    private static @Nullable Double orNull(OptionalDouble value) {
        return value.isPresent() ? (Double) value.getAsDouble() : null;
    }

    private static @Nullable Double orNull(double value) {
        return Double.isNaN(value) ? null : (Double) value;
    }
}
