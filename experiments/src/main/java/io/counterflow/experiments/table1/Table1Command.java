package io.counterflow.experiments.table1;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.console.Terminal;
import io.counterflow.experiments.trial.ExperimentOptions;
import io.counterflow.experiments.trial.Method;
import io.counterflow.experiments.trial.MethodConverter;
import io.counterflow.experiments.trial.Setup;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The paper's table of results. */
@Command(
        name = "table1",
        description =
                "Test rewards of all methods, with lambda chosen by cross-validation,"
                        + " next to the paper's numbers, with paired t-tests.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow experiment table1 --data data/fashion-mnist --trials 3",
            "  counterflow experiment table1 --data data/cifar100-features --trials 1 --epochs 30"
                    + " --lambdas 1e-5",
            "  counterflow experiment table1 --data data/fashion-mnist --methods ips-l2,ips-lpr"
        })
public final class Table1Command implements Callable<Integer> {

    @Mixin private final Output output;
    @Mixin private final ExperimentOptions options = new ExperimentOptions();

    @Option(
            names = "--epochs",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description =
                    "Passes over the log for the final policies. Default: 500 for"
                            + " Fashion-MNIST, 1000 for CIFAR-100, as in the paper.")
    private @Nullable Integer epochs;

    @Option(
            names = "--tuning-epochs",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description = "Passes during cross-validation. Default: ${DEFAULT-VALUE}.")
    private int tuningEpochs = 100;

    @Option(
            names = "--folds",
            paramLabel = "N",
            description = "Number of folds of the cross-validation. Default: ${DEFAULT-VALUE}.")
    private int folds = 5;

    @Option(
            names = "--methods",
            paramLabel = "NAME",
            split = ",",
            converter = MethodConverter.class,
            description = "Methods to compare. Default: all.")
    private List<Method> methods = List.of(Method.values());

    @Option(
            names = "--lambdas",
            paramLabel = "X",
            split = ",",
            converter = Ranges.NotNegative.class,
            description =
                    "Values of lambda to try. A single value is used without cross-validation."
                            + " Default: 1e-8 to 1e-3, powers of ten.")
    private List<Double> lambdas = List.of(1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3);

    @Option(
            names = "--variance-lambdas",
            paramLabel = "X",
            split = ",",
            converter = Ranges.NotNegative.class,
            description = "Values of the variance lambda of POEM to try. Default: 1e-3 to 1e2.")
    private List<Double> varianceLambdas = List.of(1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2);

    public Table1Command(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        options.run(
                Table1.NAME, output, (setup, results) -> new Table1(setup, plan(setup), results));
        return ExitCode.DONE;
    }

    private Table1Plan plan(Setup setup) {
        return BadInputException.ifRefused(
                "table1",
                () ->
                        new Table1Plan(
                                methods,
                                lambdas,
                                varianceLambdas,
                                folds,
                                tuningEpochs,
                                Objects.requireNonNullElse(
                                        epochs, Table1Plan.epochs(setup.data().kind()))));
    }
}
