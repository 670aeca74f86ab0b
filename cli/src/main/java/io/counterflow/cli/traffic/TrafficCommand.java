package io.counterflow.cli.traffic;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.DurationConverter;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Terminal;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Sends simulated users to a deployment. */
@Command(
        name = "traffic",
        description = "Send the demo's simulated users to a serving process, to see it learn.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow traffic --url http://localhost:8080",
            "  counterflow traffic --url http://localhost:8080 --rate 100 --duration 2m --json",
            "  counterflow traffic --url http://localhost:8080 --loop front-page --loop-only"
        })
public final class TrafficCommand implements Callable<Integer> {

    @Mixin private final Output output;

    @Option(
            names = "--url",
            paramLabel = "URL",
            defaultValue = "http://localhost:8080",
            description = "Where serving listens. Default: http://localhost:8080.")
    private URI url = URI.create("http://localhost:8080");

    @Option(
            names = "--loop",
            paramLabel = "NAME",
            defaultValue = TrafficSettings.DEFAULT_LOOP,
            description = "The loop they come to; it is created first. Default: front-page.")
    private String loop = TrafficSettings.DEFAULT_LOOP;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "300",
            description = "How many come per second, at most. Default: 300.")
    private double rate;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "How long they come, such as 3m. Default: until Ctrl-C.")
    private @Nullable Duration duration;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of the simulated users. Default: 1.")
    private long seed;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "File with a token of the scopes admin, rank and reward, where serving wants one.")
    private @Nullable Path tokenFile;

    @Option(names = "--loop-only", description = "Create the loop and end; nobody comes.")
    private boolean loopOnly;

    public TrafficCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Optional<String> token = token();
        TrafficSettings settings =
                BadInputException.ifRefused(
                        "traffic", () -> new TrafficSettings(url, loop, token, rate, seed));
        Traffic traffic = new Traffic(settings, output::note);
        traffic.createLoop();
        output.note("loop %s is there".formatted(loop));
        TrafficReport report =
                loopOnly
                        ? new TrafficReport(loop, 0, 0, 0, 0.0)
                        : traffic.come(
                                Optional.ofNullable(duration),
                                StopSignal.install(),
                                Clock.systemUTC());
        output.print(report);
        return ExitCode.DONE;
    }

    private Optional<String> token() throws IOException {
        return tokenFile == null
                ? Optional.empty()
                : Optional.of(Files.readString(tokenFile).strip());
    }
}
