package io.counterflow.experiments.sweep;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.console.Terminal;
import io.counterflow.experiments.trial.ExperimentOptions;
import io.counterflow.experiments.trial.Method;
import io.counterflow.experiments.trial.MethodConverter;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A sweep over one number. */
abstract class SweepCommand implements Callable<Integer> {

    @Mixin private final Output output;
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

    SweepCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    abstract Sweep.Plan plan(List<Method> methods, int epochs);

    @Override
    public final Integer call() throws IOException {
        Sweep.Plan plan = BadInputException.ifRefused("--methods", () -> plan(methods, epochs));
        options.run(
                plan.axis().toString(),
                output,
                (setup, results) -> new Sweep(setup, plan, results));
        return ExitCode.DONE;
    }
}
