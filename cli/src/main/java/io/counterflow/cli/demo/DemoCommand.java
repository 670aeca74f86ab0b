package io.counterflow.cli.demo;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.DurationConverter;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.traffic.StopSignal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the whole loop in one process. */
@Command(
        name = "demo",
        description =
                "See a policy learn from its own traffic: Kafka, the streaming job, serving with its"
                        + " page and simulated users, all in this process.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow demo",
            "  counterflow demo --duration 2m --headless --json",
            "  counterflow demo --dataset fashion-mnist --data data/fashion-mnist --fresh"
        })
public final class DemoCommand implements Callable<Integer> {

    private static final Duration HEADLESS_DURATION = Duration.ofMinutes(3);

    private final Terminal terminal;

    @Mixin private final Output output;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description =
                    "How long users come, such as 3m. Then the page stays until Ctrl-C, unless"
                            + " --headless. Default: until Ctrl-C; with --headless 3m.")
    private @Nullable Duration duration;

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "8080",
            description =
                    "Port of page and API on this machine; 0 takes any that is free. Default: 8080.")
    private int port;

    @Option(
            names = "--dataset",
            paramLabel = "NAME",
            defaultValue = "synthetic",
            converter = DatasetConverter.class,
            description =
                    "What is played: synthetic, a news page with simulated readers, or fashion-mnist,"
                            + " images to be classified. Default: synthetic.")
    private Dataset dataset = Dataset.SYNTHETIC;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description =
                    "Where the files of fashion-mnist are: train-images-idx3-ubyte.gz and so on.")
    private @Nullable Path data;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of the simulated users. Default: 1.")
    private long seed;

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            defaultValue = "counterflow-demo",
            description =
                    "Where all data is kept; the next start goes on from it. Default: counterflow-demo.")
    private Path directory = Path.of("counterflow-demo");

    @Option(
            names = "--fresh",
            description = "Delete what an earlier demo left there, and start over.")
    private boolean fresh;

    @Option(names = "--headless", description = "End when --duration is over.")
    private boolean headless;

    public DemoCommand(Terminal terminal) {
        this.terminal = terminal;
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws Exception {
        DemoSettings settings =
                BadInputException.ifRefused(
                        "--port",
                        () ->
                                new DemoSettings(
                                        directory,
                                        fresh,
                                        dataset,
                                        Optional.ofNullable(data),
                                        seed,
                                        port));
        Optional<Duration> traffic =
                Optional.ofNullable(duration == null && headless ? HEADLESS_DURATION : duration);
        DemoScreen screen =
                new DemoScreen(terminal, System.getenv("NO_COLOR") == null, new TerminalWidth());
        DemoRun run = new DemoRun(settings, StopSignal.install(), screen, output);
        output.print(run.until(traffic, headless));
        return ExitCode.DONE;
    }
}
