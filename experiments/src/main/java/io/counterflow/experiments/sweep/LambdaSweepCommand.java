package io.counterflow.experiments.sweep;

import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.console.Terminal;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Test reward for different values of λ: one half of the paper's figure. */
@Command(
        name = "lambda-sweep",
        description =
                "Test reward by strength of the regulariser, towards the logging policy (LPR)"
                        + " and towards zero (L2), with the logging and the uniform policy.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow experiment lambda-sweep --data data/fashion-mnist",
            "  counterflow experiment lambda-sweep --data data/fashion-mnist --lambdas 1e-4,1e-2,1"
        })
public final class LambdaSweepCommand implements Callable<Integer> {

    @Mixin private final Output output;
    @Mixin private final SweepOptions sweep = new SweepOptions();

    @Option(
            names = "--lambdas",
            paramLabel = "X",
            split = ",",
            converter = Ranges.NotNegative.class,
            description = "Values of lambda. Default: 1e-6 to 1, powers of ten.")
    private List<Double> lambdas = List.of(1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0);

    public LambdaSweepCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        sweep.run(Sweep.Axis.LAMBDA, lambdas, 0.0, output);
        return ExitCode.DONE;
    }
}
