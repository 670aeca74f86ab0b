package io.counterflow.benchmarks.streaming;

import io.counterflow.cli.embedded.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A Kafka broker in a process of its own. It prints its address. */
final class BrokerProcess implements AutoCloseable {

    private final ChildProcess process;
    private final String bootstrapServers;

    private BrokerProcess(ChildProcess process) throws IOException {
        this.process = process;
        this.bootstrapServers = process.readLine();
    }

    /** Starts a broker and waits until it is ready. */
    static BrokerProcess start(Path directory) throws IOException {
        return new BrokerProcess(
                ChildProcess.start(
                        BrokerProcess.class, "1g", List.of(directory.resolve("kafka").toString())));
    }

    String bootstrapServers() {
        return bootstrapServers;
    }

    @Override
    public void close() {
        process.close();
    }

    public static void main(String[] args) throws IOException {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(Path.of(args[0]), EmbeddedKafka.FREE_PORT)) {
            System.out.println(kafka.bootstrapServers());
            ChildProcess.awaitClose();
        }
        System.exit(0); // some threads of the broker may still be running
    }
}
