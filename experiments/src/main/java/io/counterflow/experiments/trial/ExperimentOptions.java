package io.counterflow.experiments.trial;

import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Progress;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.console.Report;
import io.counterflow.experiments.run.Experiment;
import io.counterflow.experiments.run.ResultFile;
import io.counterflow.experiments.run.UnitPool;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What experiments of several trials are told. A picocli mixin. */
public final class ExperimentOptions {

    @Mixin private final DataOptions data = new DataOptions();

    @Option(
            names = "--trials",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description = "Random splits of the data. Default: ${DEFAULT-VALUE}, as in the paper.")
    private int trials = 10;

    @Option(
            names = "--threads",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description =
                    "Units of work at a time. Results do not depend on it. Default: one for each"
                            + " core.")
    private int threads = Runtime.getRuntime().availableProcessors();

    /** Does an experiment, or what is left of it, and prints what is said of it. */
    public <R extends Report> R run(Experiment<R> experiment, ResultFile results, Output output)
            throws IOException {
        R report;
        try (Progress progress =
                        output.progress(experiment.name(), "examples", experiment.examplesLeft());
                UnitPool pool = new UnitPool(threads, results, progress)) {
            report = experiment.run(pool);
        }
        results.sort();
        output.print(report);
        return report;
    }

    /** Reads the data, which takes a while. */
    public Setup setup(Output output) throws IOException {
        return data.setup(trials, output);
    }

    /** Where results go; made where it is missing. */
    public Path out() throws IOException {
        return data.out();
    }
}
