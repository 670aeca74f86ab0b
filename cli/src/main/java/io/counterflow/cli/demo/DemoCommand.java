package io.counterflow.cli.demo;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.StopSignal;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.data.ImageSet;
import io.counterflow.cli.standalone.ProcessLog;
import io.counterflow.cli.standalone.StartCheck;
import io.counterflow.cli.traffic.ImageWorld;
import io.counterflow.cli.traffic.NewsWorld;
import io.counterflow.cli.traffic.World;
import java.io.IOException;
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
                "Watch a policy learn from its own traffic. Kafka, the streaming job, serving with "
                        + "its dashboard and simulated users run in this process.",
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
            description =
                    "Duration of the traffic, such as 3m. The dashboard then stays up until Ctrl-C, "
                            + "unless --headless is given. Default: until Ctrl-C; with --headless 3m.")
    private @Nullable Duration duration;

    @Option(
            names = "--port",
            paramLabel = "N",
            description =
                    "Local port of dashboard and API; 0 for any free port. Default: ${DEFAULT-VALUE}.")
    private int port = 8080;

    @Option(
            names = "--dataset",
            paramLabel = "NAME",
            description =
                    "The simulated traffic: synthetic (readers of a news page) or fashion-mnist "
                            + "(images to classify). Default: ${DEFAULT-VALUE}.")
    private Dataset dataset = Dataset.SYNTHETIC;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description =
                    "Directory with the files of fashion-mnist: train-images-idx3-ubyte.gz and so on.")
    private @Nullable Path data;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the simulated users. Default: ${DEFAULT-VALUE}.")
    private long seed = 1;

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description =
                    "Directory for all data. The next start continues from it. Default: "
                            + "${DEFAULT-VALUE}.")
    private Path directory = Path.of("counterflow-demo");

    @Option(
            names = "--fresh",
            description = "Delete the data of an earlier demo in the directory and start over.")
    private boolean fresh;

    @Option(names = "--headless", description = "Exit when --duration is over.")
    private boolean headless;

    public DemoCommand(Terminal terminal) {
        this.terminal = terminal;
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws Exception {
        Optional<Duration> traffic =
                Optional.ofNullable(duration == null && headless ? HEADLESS_DURATION : duration);
        World world = world();
        StopSignal stop = StopSignal.install();
        DemoScreen screen = new DemoScreen(terminal, System.getenv("NO_COLOR") == null);
        try (DemoDirectory opened = DemoDirectory.open(directory, dataset, seed, fresh)) {
            StartCheck.requireResources(directory);
            StartCheck.requireFree("--port", port);
            output.note(
                    opened.continued()
                            ? "continuing in %s after %,d visits"
                                    .formatted(directory, opened.events())
                            : "data is stored in " + directory);
            ProcessLog.writeTo(opened.data().log());
            DemoRun run;
            try (Demo demo = new Demo(opened, world, stop::isSet, output::note)) {
                demo.start(port, seed);
                if (stop.isSet()) {
                    return stop.exitCode(); // before there was anything to report
                }
                run = new DemoRun(demo, stop, screen, output);
                run.await(traffic, headless);
            } finally {
                ProcessLog.off();
            }
            output.print(run.report(opened.events()));
        }
        return ExitCode.DONE;
    }

    private World world() throws IOException {
        if (dataset == Dataset.SYNTHETIC) {
            return new NewsWorld(seed);
        }
        if (data == null) {
            throw new BadInputException(
                    "--dataset fashion-mnist needs --data with the directory of its files");
        }
        return new ImageWorld(ImageSet.read(data, ImageSet.Part.TRAIN));
    }
}
