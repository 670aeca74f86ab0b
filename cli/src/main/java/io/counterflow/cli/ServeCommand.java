package io.counterflow.cli;

import io.counterflow.serving.ServingProcess;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.config.ServingConfigFile;
import io.counterflow.serving.health.ServingLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the serving process. */
@Command(
        name = "serve",
        description = "Decide over HTTP: rank, rewards, loops and rollouts.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {"  counterflow serve --config counterflow.yaml"})
final class ServeCommand implements Callable<Integer> {

    @Mixin private final Output output;

    @Option(
            names = "--config",
            required = true,
            paramLabel = "FILE",
            description =
                    "The configuration in YAML; docs/configuration.md lists its keys. "
                            + "Variables such as COUNTERFLOW_SERVING_PORT win over it.")
    private @Nullable Path file;

    ServeCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        ServingConfig config = read();
        CountDownLatch end = new CountDownLatch(1);
        output.note("connecting to Kafka at " + config.kafka().bootstrapServers());
        ServingProcess process = start(config);
        Thread stop =
                new Thread(
                        () -> {
                            process.close();
                            end.countDown();
                        },
                        "stop-serving");
        Runtime.getRuntime().addShutdownHook(stop);
        output.note(
                "http://%s:%d, health and metrics on port %d; Ctrl-C ends it"
                        .formatted(config.api().host(), process.port(), process.managementPort()));
        end.await();
        return ExitCode.DONE;
    }

    private ServingConfig read() throws IOException {
        Path given = Objects.requireNonNull(file); // picocli sees to it
        if (!Files.isRegularFile(given)) {
            throw new NoSuchFileException(given.toString());
        }
        try {
            return ServingConfigFile.read(given, System.getenv());
        } catch (IllegalArgumentException e) {
            throw new BadInputException(given + ": " + e.getMessage(), e);
        }
    }

    private ServingProcess start(ServingConfig config) throws IOException {
        try {
            return ServingProcess.start(
                    config, new ServingLog(System.err, Clock.systemUTC()), Clock.systemUTC());
        } catch (IllegalArgumentException e) { // a file that the configuration names
            throw new BadInputException(file + ": " + e.getMessage(), e);
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "Kafka at %s does not answer; is it there, and is kafka.bootstrap-servers right?"
                            .formatted(config.kafka().bootstrapServers()),
                    e);
        } catch (KafkaException e) {
            throw new IllegalStateException(
                    "Kafka at %s: %s".formatted(config.kafka().bootstrapServers(), e.getMessage()),
                    e);
        }
    }
}
