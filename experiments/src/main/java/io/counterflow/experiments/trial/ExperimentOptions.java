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

/** Options of experiments with several trials. A picocli mixin. */
public final class ExperimentOptions {

    @Mixin private final DataOptions data = new DataOptions();

    @Option(
            names = "--trials",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description =
                    "Number of random data splits. Default: ${DEFAULT-VALUE}, as in the paper.")
    private int trials = 10;

    @Option(
            names = "--threads",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description =
                    "Number of threads. Results do not depend on it. Default: one for each"
                            + " core.")
    private int threads = Runtime.getRuntime().availableProcessors();

    /** Runs an experiment, except for existing results, and prints its report. */
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

    /** Reads the data. This takes some seconds. */
    public Setup setup(Output output) throws IOException {
        return data.setup(trials, output);
    }

    /** The output directory; created if it does not exist. */
    public Path out() throws IOException {
        return data.out();
    }
}
