package io.counterflow.experiments.sweep;

import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.console.Terminal;
import io.counterflow.experiments.trial.Method;
import java.util.List;
import picocli.CommandLine.Command;
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
public final class LambdaSweepCommand extends SweepCommand {

    @Option(
            names = "--lambdas",
            paramLabel = "X",
            split = ",",
            converter = Ranges.NotNegative.class,
            description = "Values of lambda. Default: 1e-6 to 1, powers of ten.")
    private List<Double> lambdas = List.of(1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0);

    public LambdaSweepCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    Sweep.Plan plan(List<Method> methods, int epochs) {
        return new Sweep.Plan(Sweep.Axis.LAMBDA, lambdas, methods, 0.0, epochs);
    }
}
