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
    private static final double DELTA = 0.05;
    private static final int ERROR_STREAMS = 5; // times those of a scenario
    private static final int MAX_ERROR_EVENTS = 10_000;
    private static final int[] EQUAL_CANDIDATES = {1, 4, 1, 1};
    private static final double[] THEIR_SHARES = {0.0, 0.0, 0.4, 0.9};
    private static final double[] LEARNING_RATES = {0.5, 0.05};
    private static final int EVENTS_OF_LOOPS = 100_000;
    private static final int STREAMS_PER_LOOP = 10;

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
        GateScenario[] scenarios = GateScenario.values();
        long work =
                scenarios.length
                        + (long) RATES.length * GAINS.length
                        + EQUAL_CANDIDATES.length
                        + LEARNING_RATES.length;
        List<ExperimentReport> reports = new ArrayList<>();
        try (Progress progress = output.progress("gate", "simulations", work)) {
            List<GateOutcome> outcomes = new ArrayList<>();
            for (GateScenario scenario : scenarios) {
                outcomes.add(GateOutcome.of(scenario, streams, events));
                progress.advance(1);
            }
            reports.add(written(decisions(outcomes)));
            List<GateErrors> errors = new ArrayList<>();
            for (int i = 0; i < EQUAL_CANDIDATES.length; i++) {
                errors.add(
                        GateErrors.of(
                                EQUAL_CANDIDATES[i],
                                THEIR_SHARES[i],
                                DELTA,
                                ERROR_STREAMS * streams,
                                errorEvents()));
                progress.advance(1);
            }
            reports.add(written(errors(errors)));
            List<GateLearning> learned = new ArrayList<>();
            for (double rate : LEARNING_RATES) {
                learned.add(GateLearning.of(rate, loops(), loopEvents()));
                progress.advance(1);
            }
            reports.add(written(learned(learned)));
            List<GateTiming> timings = new ArrayList<>();
            for (double rate : RATES) {
                for (double gain : GAINS) {
                    timings.add(GateTiming.of(rate, gain, streams, TIMING_EVENTS));
                    progress.advance(1);
                }
            }
            reports.add(written(times(timings)));
            reports.add(written(bounds(GatePath.of(streams))));
        }
        reports.forEach(output::print);
        return ExitCode.DONE;
    }

    /** Written at once, so that a long run that is stopped leaves what it has. */
    private ExperimentReport written(ExperimentReport report) throws IOException {
        report.write(out);
        return report;
    }

    private int loops() {
        return Math.max(1, streams / STREAMS_PER_LOOP);
    }

    private int errorEvents() {
        return Math.min(MAX_ERROR_EVENTS, events);
    }

    private int loopEvents() {
        return Math.min(EVENTS_OF_LOOPS, 4 * events);
    }

    private ExperimentReport decisions(List<GateOutcome> outcomes) {
        ResultTable<GateOutcome> table =
                new ResultTable<>(outcomes)
                        .values("scenario", it -> it.scenario().title())
                        .values("wrong", it -> it.wrong())
                        .values("allowed", it -> GateErrors.allowed(it.streams(), DELTA))
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
                         rolls back from a version that is better by 0.5 %%. Allowed: at most so many\
                         with probability 0.99, if δ is kept. Right: the candidate is better by\
                         20 %%."""
                                .formatted(streams, Figures.count(events)),
                        table)
                .fact("experiment", "gate")
                .fact("streams", streams)
                .fact("events", events)
                .measurements(table);
    }

    private ExperimentReport errors(List<GateErrors> errors) {
        ResultTable<GateErrors> table =
                new ResultTable<>(errors)
                        .values("candidates", it -> it.candidates())
                        .numbers("share", "their share", GateErrors::share, Figures::setting)
                        .numbers("delta", "δ of them", GateErrors::delta, Figures::of)
                        .values("streams", it -> it.streams())
                        .values("promoted", it -> it.promoted())
                        .values("allowed", it -> GateErrors.allowed(it.streams(), it.delta()));
        return new ExperimentReport(
                        "gate-errors",
                        """
                        Promotions of candidates that are exactly as good as the active version, in\
                         streams of %s decisions with rewards of 50 %%. Allowed: at most so many with\
                         probability 0.99, if the shares of δ = 0.05 are kept."""
                                .formatted(Figures.count(errorEvents())),
                        table)
                .fact("experiment", "gate-errors")
                .fact("events", errorEvents())
                .measurements(table);
    }

    private ExperimentReport learned(List<GateLearning> learned) {
        ResultTable<GateLearning> table =
                new ResultTable<>(learned)
                        .numbers("rate", "reward rate", GateLearning::rate, Figures::setting)
                        .values("loops", it -> it.loops())
                        .values("promotions", it -> it.promotions())
                        .values("worse", it -> it.worse())
                        .values("rollbacks", it -> it.rollbacks())
                        .rewards("start", "first value", GateLearning::start)
                        .rewards("end", "last value", GateLearning::end)
                        .rewards("best", "best policy", GateLearning::best);
        return new ExperimentReport(
                        "gate-learned",
                        """
                        Loops that learn their own candidates with default settings, %s decisions\
                         each, starting with a uniform policy. Worse: promotions of a version that is\
                         worse than the active one."""
                                .formatted(Figures.count(loopEvents())),
                        table)
                .fact("experiment", "gate-learned")
                .fact("events", loopEvents())
                .measurements(table);
    }

    private ExperimentReport bounds(List<GatePath> paths) {
        ResultTable<GatePath> table =
                new ResultTable<>(paths)
                        .numbers("gain", "gain", GatePath::gain, Figures::setting)
                        .values("seed", it -> it.seed())
                        .values("examples", it -> it.lastExample())
                        .numbers("bound", "last lower bound", GatePath::lastBound, Figures::of);
        return new ExperimentReport(
                        "gate-bounds",
                        """
                        Lower bounds on the difference of a candidate and the active version, with\
                         rewards of 5 %, until the candidate is promoted. It decides no events, and its\
                         comparison does not start again.""",
                        table)
                .fact("experiment", "gate-bounds")
                .measurements(table)
                .plot(GatePlot.ofPaths(paths));
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
