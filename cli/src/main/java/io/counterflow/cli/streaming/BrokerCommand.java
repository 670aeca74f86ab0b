package io.counterflow.cli.streaming;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.embedded.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a Kafka broker for trying things out. */
@Command(
        name = "broker",
        description =
                "Run a Kafka broker on this machine, to try the job and serving without an"
                        + " installation of Kafka. It has one node and no security: do not use it in"
                        + " production. Press Ctrl-C to stop it; its data stays in the directory.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow broker",
            "  counterflow broker --port 19092 --directory broker-data"
        })
public final class BrokerCommand implements Callable<Integer> {

    @Mixin private final Output output;

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "Port on 127.0.0.1; 0 for a free one. Default: ${DEFAULT-VALUE}.")
    private int port = 9092;

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "Directory of its data, created if missing. Default: ${DEFAULT-VALUE}.")
    private Path directory = Path.of("counterflow-broker");

    public BrokerCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (port < 0 || port > 65_535) {
            throw new BadInputException("--port must be in [0, 65535], got " + port);
        }
        try (EmbeddedKafka kafka = start()) {
            Runtime.getRuntime().addShutdownHook(new Thread(kafka::close, "stop-broker"));
            output.note(
                    "Kafka is ready at %s; data in %s"
                            .formatted(kafka.bootstrapServers(), directory));
            new CountDownLatch(1).await(); // until the process ends
        }
        return ExitCode.DONE;
    }

    private EmbeddedKafka start() throws IOException {
        try {
            return EmbeddedKafka.start(directory, port);
        } catch (IllegalStateException e) { // the port is in use
            throw new BadInputException(String.valueOf(e.getMessage()), e);
        }
    }
}
