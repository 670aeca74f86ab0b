package io.counterflow.experiments.trial;

import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Progress;
import io.counterflow.cli.console.Ranges;
import io.counterflow.experiments.report.ExperimentReport;
import io.counterflow.experiments.run.ResultFile;
import io.counterflow.experiments.run.UnitPool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.BiFunction;
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

    /**
     * Runs an experiment, except for existing results, prints its report and writes its files.
     *
     * @param file name of the result file, without an extension
     * @param maker creates the experiment
     */
    public void run(String file, Output output, BiFunction<Setup, ResultFile, Experiment> maker)
            throws IOException {
        Path out = data.out();
        try (ResultFile results = ResultFile.open(out.resolve(file + ".csv"))) {
            Experiment experiment = maker.apply(data.setup(trials, output), results);
            ExperimentReport report;
            try (Progress progress =
                            output.progress(
                                    experiment.name, "examples", experiment.examplesLeft());
                    UnitPool pool = new UnitPool(threads, results, progress)) {
                report = experiment.run(pool);
                report.fact("unitsDone", pool.done()).fact("unitsFound", pool.found());
                String done = Figures.count(pool.done(), "unit", "units");
                report.note("%s of work done, %d found".formatted(done, pool.found()));
            }
            results.sort();
            output.print(report);
            report.write(out);
        }
    }
}
