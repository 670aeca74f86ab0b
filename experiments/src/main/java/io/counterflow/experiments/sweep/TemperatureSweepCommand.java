package io.counterflow.experiments.sweep;

import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.console.Terminal;
import io.counterflow.experiments.trial.Method;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Test reward for different logging policies: one half of the paper's figure. */
@Command(
        name = "temperature-sweep",
        description =
                "Test reward by quality of the logging policy, from uniform (inverse temperature"
                        + " 0) to the trained one (1).",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow experiment temperature-sweep --data data/fashion-mnist",
            "  counterflow experiment temperature-sweep --data data/fashion-mnist --lambda 1e-4"
        })
public final class TemperatureSweepCommand extends SweepCommand {

    @Option(
            names = "--inverse-temperatures",
            paramLabel = "X",
            split = ",",
            converter = Ranges.Finite.class,
            description =
                    "Factors for weights and biases of the logging policy; below 0 it is worse"
                            + " than uniform. Default: 0 to 1 in steps of 0.2.")
    private List<Double> inverseTemperatures = List.of(0.0, 0.2, 0.4, 0.6, 0.8, 1.0);

    @Option(
            names = "--lambda",
            paramLabel = "X",
            converter = Ranges.NotNegative.class,
            description = "Strength of the regulariser. Default: ${DEFAULT-VALUE}.")
    private double lambda = 0.001;

    public TemperatureSweepCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    Sweep.Plan plan(List<Method> methods, int epochs) {
        return new Sweep.Plan(Sweep.Axis.TEMPERATURE, inverseTemperatures, methods, lambda, epochs);
    }
}
