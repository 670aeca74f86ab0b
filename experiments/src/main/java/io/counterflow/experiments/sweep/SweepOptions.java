package io.counterflow.experiments.sweep;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Ranges;
import io.counterflow.experiments.run.ResultFile;
import io.counterflow.experiments.trial.ExperimentOptions;
import io.counterflow.experiments.trial.Method;
import io.counterflow.experiments.trial.MethodConverter;
import io.counterflow.experiments.trial.Setup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of both sweeps, and their common implementation. A picocli mixin. */
final class SweepOptions {

    @Mixin private final ExperimentOptions options = new ExperimentOptions();

    @Option(
            names = "--epochs",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description = "Passes over the log. Default: ${DEFAULT-VALUE}.")
    private int epochs = 100;

    @Option(
            names = "--methods",
            paramLabel = "NAME",
            split = ",",
            converter = MethodConverter.class,
            description = "Methods to compare. Default: ips-l2,ips-lpr.")
    private List<Method> methods = List.of(Method.IPS_L2, Method.IPS_LPR);

    /**
     * Runs a sweep and writes its results.
     *
     * @param lambda λ, if it is not varied
     */
    void run(Sweep.Axis axis, List<Double> values, double lambda, Output output)
            throws IOException {
        Sweep.Plan plan =
                BadInputException.ifRefused(
                        "--methods", () -> new Sweep.Plan(axis, values, methods, lambda, epochs));
        Path out = options.out();
        try (ResultFile results = ResultFile.open(out.resolve(axis + ".csv"))) {
            Setup setup = options.setup(output);
            options.run(new Sweep(setup, plan, results), results, output).write(out);
        }
    }
}
