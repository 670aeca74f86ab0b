package io.counterflow.benchmarks.process;

import io.counterflow.cli.embedded.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A Kafka broker in a process of its own. It prints its address. */
public final class BrokerProcess implements AutoCloseable {

    private final ChildProcess process;
    private final Path data;
    private final String bootstrapServers;

    private BrokerProcess(ChildProcess process, Path data) throws IOException {
        this.process = process;
        this.data = data;
        this.bootstrapServers = process.readLine();
    }

    /** Starts a broker and waits until it is ready. */
    public static BrokerProcess start(Path directory) throws IOException {
        return start(directory, Map.of());
    }

    /**
     * The same with more settings.
     *
     * @param settings settings that override the defaults, by name
     */
    public static BrokerProcess start(Path directory, Map<String, String> settings)
            throws IOException {
        Path data = directory.resolve("kafka");
        List<String> args = new ArrayList<>(List.of(data.toString()));
        settings.forEach((name, value) -> args.add(name + "=" + value));
        return new BrokerProcess(ChildProcess.start(BrokerProcess.class, "1g", args), data);
    }

    public String bootstrapServers() {
        return bootstrapServers;
    }

    /** The directory with a directory for each partition. */
    public Path data() {
        return data;
    }

    public ProcessHandle handle() {
        return process.handle();
    }

    @Override
    public void close() {
        process.close();
    }

    public static void main(String[] args) throws IOException {
        Map<String, String> settings = new HashMap<>();
        for (String setting : List.of(args).subList(1, args.length)) {
            int equals = setting.indexOf('=');
            settings.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        try (EmbeddedKafka kafka =
                EmbeddedKafka.start(Path.of(args[0]), EmbeddedKafka.FREE_PORT, settings)) {
            System.out.println(kafka.bootstrapServers());
            ChildProcess.awaitClose();
        }
        System.exit(0); // some threads of the broker may still be running
    }
}
