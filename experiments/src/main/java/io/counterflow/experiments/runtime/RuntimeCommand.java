package io.counterflow.experiments.runtime;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Progress;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.console.Terminal;
import io.counterflow.experiments.report.ExperimentReport;
import io.counterflow.experiments.trial.DataOptions;
import io.counterflow.experiments.trial.LoggedTrial;
import io.counterflow.experiments.trial.Method;
import io.counterflow.experiments.trial.Setup;
import io.counterflow.experiments.trial.Strength;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The paper's comparison of running times. */
@Command(
        name = "runtime",
        description =
                "CPU time of an epoch of POEM and of IPS-LPR, and their ratio. The two are measured"
                        + " in turns on one thread.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow experiment runtime --data data/fashion-mnist",
            "  counterflow experiment runtime --data data/fashion-mnist --yardstick ./yardstick"
        })
public final class RuntimeCommand implements Callable<Integer> {

    private static final int TURNS = 3;
    private static final int WARM_UP = 5;

    @Mixin private final Output output;
    @Mixin private final DataOptions options = new DataOptions();

    @Option(
            names = "--epochs",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description = "Epochs to measure in each of three turns. Default: ${DEFAULT-VALUE}.")
    private int epochs = 10;

    @Option(
            names = "--yardstick",
            paramLabel = "PATH",
            description =
                    "A program that prints {\"epochSkipExamplesPerSecond\":...} for the same epoch on"
                            + " data with 784 features and 10 actions. Prints the speed ratio.")
    private @Nullable Path yardstick;

    public RuntimeCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        Path out = options.out();
        Setup setup = options.setup(1, output);
        if (yardstick != null
                && (setup.data().train().dimension() != 784 || setup.data().classes() != 10)) {
            throw new BadInputException(
                    "--yardstick needs data of 784 features and 10 classes, got %d and %d"
                            .formatted(setup.data().train().dimension(), setup.data().classes()));
        }
        LoggedTrial trial = setup.trial(0).logged(1.0);
        EpochTimes lpr = new EpochTimes(Method.IPS_LPR, Strength.of(1e-5));
        EpochTimes poem = new EpochTimes(Method.POEM, Strength.of(1.0));
        try (Progress progress = output.progress("runtime", "runs", 2L * TURNS)) {
            for (int turn = 0; turn < TURNS; turn++) {
                lpr.measure(trial, epochs, WARM_UP);
                progress.advance(1);
                poem.measure(trial, epochs, WARM_UP);
                progress.advance(1);
            }
        }
        Optional<Yardstick> beside =
                yardstick == null ? Optional.empty() : Optional.of(Yardstick.run(yardstick));
        ExperimentReport report = new RuntimeReport(setup, lpr, poem, beside).report();
        output.print(report);
        report.write(out);
        return ExitCode.DONE;
    }
}
