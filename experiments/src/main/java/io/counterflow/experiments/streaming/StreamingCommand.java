package io.counterflow.experiments.streaming;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Ranges;
import io.counterflow.cli.console.Terminal;
import io.counterflow.experiments.trial.ExperimentOptions;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Compares the streaming learner with offline training. */
@Command(
        name = "streaming",
        description =
                "Compare the streaming learner with offline training on the same data: in one pass,"
                        + " with buffer steps, and in generations that make their own decisions.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow experiment streaming --data data/fashion-mnist --trials 3",
            "  counterflow experiment streaming --data data/fashion-mnist --buffer-steps 16 --floor 0.05",
            "  counterflow experiment streaming --data data/fashion-mnist --trials 1 --tune"
                    + " --buffer-steps 4,8"
        })
public final class StreamingCommand implements Callable<Integer> {

    private static final String STREAM = "settings of the stream";

    @Mixin private final Output output;
    @Mixin private final ExperimentOptions options = new ExperimentOptions();
    @Mixin private final StreamGrid grid = new StreamGrid();

    @Option(
            names = "--epochs",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description =
                    "Passes of offline training, which is IPS-LPR from the prior with the"
                            + " paper's learning rate. Default: ${DEFAULT-VALUE}.")
    private int epochs = 500;

    @Option(
            names = "--generations",
            paramLabel = "N",
            converter = Ranges.Count.class,
            description =
                    "Number of generations that share the contexts. Default: ${DEFAULT-VALUE}.")
    private int generations = 6;

    @Option(
            names = "--tune",
            description = "Try all combinations of settings on held-out contexts.")
    private boolean tune;

    public StreamingCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        if (tune) {
            List<StreamSettings> all = BadInputException.ifRefused(STREAM, grid::toTry);
            options.run(
                    Streaming.NAME,
                    output,
                    (setup, results) -> new StreamTuning(setup, all, generations, results));
        } else {
            StreamSettings one = BadInputException.ifRefused(STREAM, grid::settings);
            options.run(
                    Streaming.NAME,
                    output,
                    (setup, results) -> new Streaming(setup, one, generations, epochs, results));
        }
        return ExitCode.DONE;
    }
}
