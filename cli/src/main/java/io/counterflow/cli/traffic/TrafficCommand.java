package io.counterflow.cli.traffic;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.StopSignal;
import io.counterflow.cli.console.Terminal;
import io.counterflow.client.ClientSettings;
import io.counterflow.client.CounterflowClient;
import io.counterflow.client.Retries;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Sends simulated users to a deployment. */
@Command(
        name = "traffic",
        description = "Send the demo's simulated users to a serving process.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow traffic --url http://localhost:8080",
            "  counterflow traffic --url http://localhost:8080 --rate 100 --duration 2m --json",
            "  counterflow traffic --url http://localhost:8080 --loop front-page --loop-only"
        })
public final class TrafficCommand implements Callable<Integer> {

    /** More than the visits of any millisecond. */
    private static final long NUMBERS_PER_MS = 1_000;

    private static final Duration NOTE_INTERVAL = Duration.ofSeconds(10);

    @Mixin private final Output output;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "URL of the serving process. Default: ${DEFAULT-VALUE}.")
    private URI url = URI.create("http://localhost:8080");

    @Option(
            names = "--loop",
            paramLabel = "NAME",
            description = "Loop that decides; created if missing. Default: ${DEFAULT-VALUE}.")
    private String loop = NewsWorld.LOOP;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "300",
            description = "Maximum number of visits per second. Default: ${DEFAULT-VALUE}.")
    private double rate;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            description = "How long to send traffic, such as 3m. Default: until Ctrl-C.")
    private @Nullable Duration duration;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the simulated users. Default: ${DEFAULT-VALUE}.")
    private long seed = 1;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "File with a bearer token, if serving requires one. The token needs the scopes "
                            + "admin, rank and reward.")
    private @Nullable Path tokenFile;

    @Option(names = "--loop-only", description = "Create the loop and exit, without traffic.")
    private boolean loopOnly;

    public TrafficCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        // Numbers that no earlier run has used.
        AtomicLong numbers = new AtomicLong(System.currentTimeMillis() * NUMBERS_PER_MS);
        CounterflowClient client = client();
        World world = BadInputException.ifRefused("--loop", () -> new NewsWorld(seed, loop));
        SimulatedUsers users =
                BadInputException.ifRefused(
                        "--rate",
                        () ->
                                new SimulatedUsers(
                                        world, client, numbers::incrementAndGet, seed, rate));
        users.createLoop();
        output.note("loop %s is ready".formatted(loop));
        double seconds = loopOnly ? 0.0 : run(users);
        output.print(report(users.counts(), seconds));
        return ExitCode.DONE;
    }

    private CounterflowClient client() throws IOException {
        ClientSettings open =
                BadInputException.ifRefused("--url", () -> ClientSettings.of(url))
                        .withRetries(Retries.none())
                        .withRankRetries(Retries.none());
        return new CounterflowClient(
                tokenFile == null ? open : open.withToken(Files.readString(tokenFile).strip()));
    }

    private double run(SimulatedUsers users) throws InterruptedException {
        StopSignal stop = StopSignal.install();
        AtomicReference<@Nullable String> failure = new AtomicReference<>();
        long startNs = System.nanoTime();
        long endNs = startNs + (duration == null ? StopSignal.NEVER : duration).toNanos();
        users.start(reason -> failure.compareAndSet(null, reason));
        boolean over = false;
        while (!over && failure.get() == null && System.nanoTime() - endNs < 0) {
            Duration left = Duration.ofNanos(endNs - System.nanoTime());
            over = stop.await(left.compareTo(NOTE_INTERVAL) < 0 ? left : NOTE_INTERVAL);
            SimulatedUsers.Counts counts = users.counts();
            output.note(
                    "%,d visits, %,d rewards, %,d failures"
                            .formatted(counts.events(), counts.rewards(), counts.failures()));
        }
        users.stop();
        String reason = failure.get();
        if (reason != null) {
            throw new IllegalStateException(reason);
        }
        return (System.nanoTime() - startNs) / 1e9;
    }

    private Report report(SimulatedUsers.Counts counts, double seconds) {
        return new FieldReport()
                .field("loop", loop)
                .field("visits", counts.events())
                .field("rewards", counts.rewards())
                .field("failures", counts.failures())
                .field("seconds", seconds)
                .line(
                        "%,d visits to %s and %,d rewards in %s; %,d calls failed",
                        counts.events(),
                        loop,
                        counts.rewards(),
                        Figures.seconds(seconds),
                        counts.failures());
    }
}
