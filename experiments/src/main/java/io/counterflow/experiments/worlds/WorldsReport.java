package io.counterflow.experiments.worlds;

import io.counterflow.cli.console.Figures;
import io.counterflow.experiments.report.ExperimentReport;
import io.counterflow.experiments.report.ResultTable;
import io.counterflow.experiments.run.ResultFile;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;

/** Tables and plots of the worlds. */
final class WorldsReport {

    private record Line(WorldKind kind, Contestant contestant, WorldShares shares) {}

    private final WorldUnits units;
    private final List<WorldRow> rows = new ArrayList<>();

    WorldsReport(WorldUnits units, ResultFile results) {
        this.units = units;
        for (WorldKind kind : units.kinds()) {
            Map<Contestant, WorldShares> shares = new EnumMap<>(Contestant.class);
            units.contestants().forEach(it -> shares.put(it, units.shares(results, kind, it)));
            rows.add(new WorldRow(kind, shares));
        }
    }

    /** A line for each world, with all learners. */
    ExperimentReport table() {
        ResultTable<WorldRow> table =
                new ResultTable<>(rows)
                        .values("world", it -> it.kind())
                        .values("description", it -> it.kind().title())
                        .values("events", "events", this::events, it -> Figures.count(events(it)))
                        .numbers("uniform", "uniform", WorldRow::uniformRate, WorldsReport::rate)
                        .numbers("best", "best", WorldRow::bestRate, WorldsReport::rate);
        for (Contestant contestant : units.contestants()) {
            table.values(
                    contestant.toString(),
                    contestant.title(),
                    it -> it.text(contestant),
                    it -> it.text(contestant));
        }
        if (units.contestants().stream().filter(Contestant::isVowpalWabbit).count() > 1) {
            table.values("vw-best", "best of VW", this::bestVowpalWabbit, this::bestVowpalWabbit);
        }
        return new ExperimentReport("worlds-table", introduction(), table)
                .fact("experiment", WorldUnits.NAME)
                .fact("firstSeed", units.firstSeed())
                .fact("seeds", units.seeds());
    }

    private String bestVowpalWabbit(WorldRow row) {
        Contestant best = row.bestVowpalWabbit().orElseThrow();
        return "%s (%s)".formatted(row.text(best), best.title().substring("VW ".length()));
    }

    private int events(WorldRow row) {
        return units.events(row.kind());
    }

    private String introduction() {
        return """
        Share of the way from the uniform to the best policy, average over the stream / in its last\
         tenth, mean of %s from %d. Uniform and best: their mean rewards. The learners decide with an\
         exploration floor of 0.05, the best policy without, so that 0.95 is the most a greedy\
         learner can reach."""
                .formatted(Figures.count(units.seeds(), "seed", "seeds"), units.firstSeed());
    }

    /** A line for each world and learner, with intervals. */
    ExperimentReport details() {
        List<Line> lines = new ArrayList<>();
        rows.forEach(
                row -> row.shares().forEach((it, of) -> lines.add(new Line(row.kind(), it, of))));
        ResultTable<Line> table =
                new ResultTable<>(lines)
                        .values("world", Line::kind)
                        .values("learner", Line::contestant)
                        .intervals("average", it -> it.shares().average())
                        .intervals("final", it -> it.shares().last())
                        .values(
                                "recovery",
                                "events to recover",
                                this::recovery,
                                it -> recoveryText(it));
        return new ExperimentReport(
                        "worlds-details",
                        """
                        Means over %s and half the widths of their 95 %% confidence intervals. Events to\
                         recover: after a flip, until the share is back at 90 %% of the one before."""
                                .formatted(Figures.count(units.seeds(), "seed", "seeds")),
                        table)
                .fact("experiment", WorldUnits.NAME + "-details")
                .measurements(table);
    }

    private long recovery(Line line) {
        int events = units.events(line.kind());
        int flip = line.kind().flipAt();
        if (flip == 0 || flip >= events) {
            return -1;
        }
        OptionalInt parts = line.shares().recovery((int) ((long) flip * WorldRun.PARTS / events));
        return parts.isPresent() ? (long) parts.getAsInt() * events / WorldRun.PARTS : -1;
    }

    private String recoveryText(Line line) {
        long recovery = recovery(line);
        return recovery >= 0 ? Figures.count(recovery) : line.kind().flipAt() > 0 ? "never" : "";
    }

    /** A table and a plot for each world. */
    List<ExperimentReport> plots() {
        List<ExperimentReport> reports = new ArrayList<>();
        for (WorldRow row : rows) {
            ResultTable<Map.Entry<Contestant, WorldShares>> table =
                    new ResultTable<>(List.copyOf(row.shares().entrySet()))
                            .values("learner", it -> it.getKey().title())
                            .intervals("average", it -> it.getValue().average())
                            .intervals("final", it -> it.getValue().last());
            reports.add(
                    new ExperimentReport(
                                    "worlds-" + row.kind(),
                                    "World %s: %s.".formatted(row.kind(), row.kind().title()),
                                    table)
                            .plot(WorldPlot.of(row, events(row))));
        }
        return reports;
    }

    /** The CPU time of each learner in each world. */
    static ExperimentReport times(List<LearningTime> times) {
        ResultTable<LearningTime> table =
                new ResultTable<>(times)
                        .values("world", LearningTime::kind)
                        .values("learner", it -> it.contestant())
                        .numbers(
                                "microseconds",
                                "µs per example",
                                LearningTime::microseconds,
                                Figures::of);
        return new ExperimentReport(
                        "worlds-cpu",
                        """
                        CPU time of learning for each example: steps, comparisons and freezing, without\
                         decisions and features. Median of three turns on one thread.""",
                        table)
                .fact("experiment", WorldUnits.NAME + "-cpu")
                .measurements(table);
    }

    private static String rate(double rate) {
        return String.format(Locale.ROOT, "%.1f %%", 100.0 * rate);
    }
}
