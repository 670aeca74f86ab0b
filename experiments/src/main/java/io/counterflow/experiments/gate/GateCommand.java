package io.counterflow.experiments.gate;

import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Progress;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.console.Terminal;
import io.counterflow.experiments.report.ExperimentReport;
import io.counterflow.experiments.report.ResultTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Simulates the gate on streams with known values. */
@Command(
        name = "gate",
        description =
                "Simulate the gate on streams with known values: how often it is wrong while people"
                        + " change floors, temperatures and versions, and how long it takes.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow experiment gate",
            "  counterflow experiment gate --streams 20 --out results"
        })
public final class GateCommand implements Callable<Integer> {

    private static final double[] RATES = {0.5, 0.05, 0.02};
    private static final double[] GAINS = {0.02, 0.05, 0.1, 0.2};
    private static final int TIMING_EVENTS = 50_000;

    @Mixin private final Output output;

    @Option(
            names = "--streams",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description = "Number of streams of each kind. Default: ${DEFAULT-VALUE}.")
    private int streams = 200;

    @Option(
            names = "--events",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description = "Number of decisions of each stream. Default: ${DEFAULT-VALUE}.")
    private int events = 25_000;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Directory for tables and plots. Default: ${DEFAULT-VALUE}.")
    private Path out = Path.of("counterflow-experiments");

    public GateCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        Files.createDirectories(out);
        List<GateOutcome> outcomes = new ArrayList<>();
        List<GateTiming> timings = new ArrayList<>();
        GateScenario[] scenarios = GateScenario.values();
        long work = scenarios.length + (long) RATES.length * GAINS.length;
        try (Progress progress = output.progress("gate", "simulations", work)) {
            for (GateScenario scenario : scenarios) {
                outcomes.add(GateOutcome.of(scenario, streams, events));
                progress.advance(1);
            }
            for (double rate : RATES) {
                for (double gain : GAINS) {
                    timings.add(GateTiming.of(rate, gain, streams, TIMING_EVENTS));
                    progress.advance(1);
                }
            }
        }
        ExperimentReport decisions = decisions(outcomes);
        ExperimentReport times = times(timings);
        output.print(decisions);
        output.print(times);
        decisions.write(out);
        times.write(out);
        return ExitCode.DONE;
    }

    private ExperimentReport decisions(List<GateOutcome> outcomes) {
        ResultTable<GateOutcome> table =
                new ResultTable<>(outcomes)
                        .values("scenario", it -> it.scenario().title())
                        .values("wrong", it -> it.wrong())
                        .values("right", it -> it.right())
                        .values(
                                "medianEvents",
                                "median events",
                                it -> it.medianEvents(),
                                it ->
                                        it.medianEvents() < 0
                                                ? "–"
                                                : Figures.count(it.medianEvents()));
        return new ExperimentReport(
                        "gate",
                        """
                        Decisions of the gate in %d streams of %s decisions for each column, at δ =\
                         0.05. Wrong: the candidate is worse by 0.5 %%, and the gate promotes it, or\
                         rolls back from a version that is better by 0.5 %%. Right: the candidate is\
                         better by 20 %%."""
                                .formatted(streams, Figures.count(events)),
                        table)
                .fact("experiment", "gate")
                .fact("streams", streams)
                .fact("events", events)
                .measurements(table);
    }

    private ExperimentReport times(List<GateTiming> timings) {
        ResultTable<GateTiming> table =
                new ResultTable<>(timings)
                        .numbers("rate", "reward rate", GateTiming::rate, Figures::setting)
                        .numbers("gain", "gain", GateTiming::gain, Figures::setting)
                        .values("promoted", it -> it.promoted())
                        .numbers("median", "median examples", GateTiming::median, Figures::of)
                        .numbers("nineOfTen", "nine of ten", GateTiming::nineOfTen, Figures::of);
        return new ExperimentReport(
                        "gate-timing",
                        """
                        Number of examples until the gate promotes a candidate with a relative gain,\
                         in %d streams of at most %s decisions."""
                                .formatted(streams, Figures.count(TIMING_EVENTS)),
                        table)
                .fact("experiment", "gate-timing")
                .fact("streams", streams)
                .measurements(table)
                .plot(GatePlot.of(timings));
    }
}
