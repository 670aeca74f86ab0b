package io.counterflow.cli.standalone;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.StopSignal;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.schemas.config.Options;
import io.counterflow.serving.ServingProcess;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.stats.Truth;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs broker, job and serving in one process, for the traffic of the user. */
@Command(
        name = "standalone",
        description = {
            "Learn from your own traffic on one machine. Kafka, the streaming job and serving with "
                    + "its dashboard run in this process.",
            "Ctrl-C stops it. The next start continues from the data in the directory."
        },
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow standalone",
            "  counterflow standalone --port 8000 --directory shop --kafka-port 9092",
            "  counterflow standalone --config counterflow.yaml"
        })
public final class StandaloneCommand implements Callable<Integer> {

    private static final String COMMAND = "standalone";
    private static final Duration TICK = Duration.ofMillis(100);

    private static final String REQUEST =
            "{\"eventId\": \"visit-1\", \"context\": {\"features\": {}}, \"actions\": [{\"id\":"
                    + " \"a\"}, {\"id\": \"b\"}]}";

    /** With the defaults, the first version would come after ten minutes, and wait for a person. */
    private static final String SPEC =
            "{\"bits\": 18, \"attributionWindow\": \"10s\", \"rolloutMode\": \"immediate\"}";

    /** Small files, so that expired data is deleted soon. */
    private static final Map<String, String> SMALL_FILES =
            Map.of("log.segment.bytes", Integer.toString(64 << 20));

    @Mixin private final Output output;

    @Option(
            names = "--port",
            paramLabel = "N",
            description =
                    "Port of dashboard and API; 0 for any free port. Default: serving.port, which is "
                            + "8080 unless configured.")
    private @Nullable Integer port;

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description =
                    "Directory for all data. The next start continues from it. Default: "
                            + "${DEFAULT-VALUE}.")
    private Path directory = Path.of("counterflow-standalone");

    @Option(
            names = "--kafka-port",
            paramLabel = "N",
            description =
                    "Port of Kafka on 127.0.0.1, for Kafka clients of your own, export, and Java "
                            + "clients that decide in their own process. Default: any free port.")
    private int kafkaPort = EmbeddedKafka.FREE_PORT;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description =
                    "Configuration file in YAML with the keys of docs/configuration.md, except the "
                            + "addresses of Kafka and the directory. Environment variables such as "
                            + "COUNTERFLOW_SERVING_PORT override it.")
    private @Nullable Path file;

    public StandaloneCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws Exception {
        StopSignal stop = StopSignal.install();
        requireOurs(directory);
        try (DataDirectory opened = DataDirectory.open(directory, COMMAND)) {
            LocalConfig config = config(opened);
            ServingConfig serving = config.serving("127.0.0.1:1"); // the addresses to listen on
            StartCheck.requireResources(directory);
            StartCheck.requireFree("--port", serving.api().port());
            StartCheck.requireFree("--kafka-port", kafkaPort);
            StartCheck.requireFree("serving.management.port", serving.management().port());
            output.note(
                    (Files.exists(opened.kafka()) ? "continuing in " : "data is stored in ")
                            + directory);
            ProcessLog.writeTo(opened.log());
            try (LocalDeployment deployment =
                    new LocalDeployment(opened, config, stop::isSet, output::note)) {
                return run(deployment, serving, stop);
            } finally {
                ProcessLog.off();
            }
        }
    }

    private int run(LocalDeployment deployment, ServingConfig config, StopSignal stop)
            throws Exception {
        String broker = deployment.startBroker(kafkaPort, SMALL_FILES);
        if (!stop.isSet()) {
            deployment.startJob(broker);
        }
        if (!stop.isSet()) {
            ServingProcess serving = startServing(deployment, broker);
            if (!stop.isSet()) {
                output.print(report(broker, config, serving));
                output.note("press Ctrl-C to stop");
                while (!stop.await(TICK)) {
                    deployment.requireRunning();
                }
                output.note("stopping");
                return ExitCode.DONE;
            }
        }
        return stop.exitCode();
    }

    /** Files that the configuration names, such as that of tokens, are read here. */
    private static ServingProcess startServing(LocalDeployment deployment, String broker)
            throws Exception {
        try {
            return deployment.startServing(broker, Truth.unknown());
        } catch (IllegalArgumentException e) {
            throw new BadInputException(String.valueOf(e.getMessage()), e);
        }
    }

    private LocalConfig config(DataDirectory opened) throws IOException {
        Path given = file;
        if (given != null && !Files.isRegularFile(given)) {
            throw new NoSuchFileException(given.toString());
        }
        String yaml = given == null ? "" : Files.readString(given);
        LocalConfig config =
                BadInputException.ifRefused(
                        given == null ? "environment" : given.toString(),
                        () -> LocalConfig.parse(yaml, System.getenv(), opened.flink()));
        return port == null ? config : config.with(Options.PORT, Integer.toString(port));
    }

    /** Refuses a directory with files that are not of this command. */
    private static void requireOurs(Path root) throws IOException {
        if (Files.exists(root)
                && !Files.exists(root.resolve(DataDirectory.lockFile(COMMAND)))
                && !DataDirectory.children(root).isEmpty()) {
            throw new BadInputException(
                    "--directory: %s must be empty, missing or of an earlier standalone, but has other files in it"
                            .formatted(root));
        }
    }

    private Report report(String broker, ServingConfig config, ServingProcess serving) {
        String page =
                "%s://%s:%d"
                        .formatted(
                                config.tls().isPresent() ? "https" : "http",
                                config.api().isLoopback() ? config.api().host() : "localhost",
                                serving.port());
        String token =
                config.access().tokensFile().isPresent()
                        ? " -H \"authorization: Bearer $TOKEN\""
                        : "";
        String call =
                "  curl%s -H 'content-type: application/json' %s/v1/loops/".formatted(token, page);
        return new FieldReport()
                .field("url", page)
                .field("kafka", broker)
                .field("managementPort", serving.managementPort())
                .field("directory", directory)
                .line("page and API:        %s", page)
                .line("Kafka:               %s", broker)
                .line("health and metrics:  port %d", serving.managementPort())
                .line("")
                .line("Create a loop, ask for a decision, and reward it within ten seconds:")
                .line("%s", call + "first -X PUT -d '" + SPEC + "'")
                .line("%s", call + "first/rank -d '" + REQUEST + "'")
                .line("%s", call + "first/events/visit-1/reward -d '{\"value\": 1}'");
    }
}
