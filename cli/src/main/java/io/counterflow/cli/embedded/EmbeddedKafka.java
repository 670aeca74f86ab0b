package io.counterflow.cli.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * A Kafka broker in this process that listens on loopback only. A broker that is started on the
 * same directory again has the same data.
 */
public final class EmbeddedKafka implements AutoCloseable {

    public static final int FREE_PORT = 0;

    /** Longer than {@code sink.transaction-timeout}. */
    private static final Duration MAX_TRANSACTION = Duration.ofHours(24);

    private static final String HOST = "127.0.0.1";
    private static final int NODE = 1;

    /** The file with the identity of a broker's directory. */
    private static final String IDENTITY = "meta.properties";

    private final KafkaRaftServer server;
    private final int port;
    private boolean running = true;

    private EmbeddedKafka(KafkaRaftServer server, int port) {
        this.server = server;
        this.port = port;
    }

    public static EmbeddedKafka start(Path directory, int port) throws IOException {
        return start(directory, port, Map.of());
    }

    /**
     * Starts a broker and waits until it is ready.
     *
     * @param directory the directory of its data; created if missing
     * @param port its port, or {@link #FREE_PORT}
     * @param more settings that override the defaults, by name
     */
    public static EmbeddedKafka start(Path directory, int port, Map<String, String> more)
            throws IOException {
        Files.createDirectories(directory);
        if (port != FREE_PORT && !isFree(port)) {
            throw new IllegalStateException(
                    "port %d is in use; choose another port for Kafka".formatted(port));
        }
        int brokerPort = port == FREE_PORT ? freePort() : port;
        Properties settings = settings(directory, brokerPort, freePort());
        settings.putAll(more);
        format(directory);
        KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(settings), Time.SYSTEM);
        try {
            server.startup();
        } catch (RuntimeException e) {
            server.shutdown(); // its threads would keep this process alive
            throw e;
        }
        return new EmbeddedKafka(server, brokerPort);
    }

    public String bootstrapServers() {
        return HOST + ":" + port;
    }

    /** Stops the broker. Its data remains. */
    @Override
    public void close() {
        if (running) {
            running = false;
            server.shutdown();
            server.awaitShutdown();
        }
    }

    private static void format(Path directory) {
        if (Files.exists(directory.resolve(IDENTITY))) {
            return;
        }
        try {
            new Formatter()
                    .setPrintStream(
                            new PrintStream(
                                    OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8))
                    .setNodeId(NODE)
                    .setClusterId(Uuid.randomUuid().toString())
                    .addDirectory(directory.toString())
                    .setMetadataLogDirectory(directory.toString())
                    .setControllerListenerName("CONTROLLER")
                    .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
                    .run();
        } catch (Exception e) { // declared by the formatter
            throw new IllegalStateException("cannot format " + directory + " for a broker", e);
        }
    }

    private static Properties settings(Path directory, int brokerPort, int controllerPort) {
        Properties settings = new Properties();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", Integer.toString(NODE));
        settings.put("controller.quorum.voters", NODE + "@" + HOST + ":" + controllerPort);
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("inter.broker.listener.name", "BROKER");
        settings.put("listener.security.protocol.map", "BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.put(
                "listeners",
                "BROKER://%s:%d,CONTROLLER://%s:%d"
                        .formatted(HOST, brokerPort, HOST, controllerPort));
        settings.put("advertised.listeners", "BROKER://%s:%d".formatted(HOST, brokerPort));
        settings.put("log.dirs", directory.toString());
        // One broker: every internal topic has one replica.
        settings.put("default.replication.factor", "1");
        settings.put("offsets.topic.replication.factor", "1");
        settings.put("offsets.topic.num.partitions", "4");
        settings.put("transaction.state.log.replication.factor", "1");
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("transaction.state.log.num.partitions", "4");
        settings.put("transaction.max.timeout.ms", Long.toString(MAX_TRANSACTION.toMillis()));
        settings.put("share.coordinator.state.topic.replication.factor", "1");
        settings.put("share.coordinator.state.topic.min.isr", "1");
        settings.put("group.initial.rebalance.delay.ms", "0");
        // The default uses 128 MiB of heap.
        settings.put("log.cleaner.dedupe.buffer.size", Integer.toString(4 << 20));
        // A mistyped topic is an error, not a new topic.
        settings.put("auto.create.topics.enable", "false");
        return settings;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, loopback())) {
            return socket.getLocalPort();
        }
    }

    /** Whether a server can listen on a port of loopback. */
    public static boolean isFree(int port) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true); // as servers do: a port that was just closed is free
            socket.bind(new InetSocketAddress(loopback(), port));
            return true;
        } catch (BindException e) {
            return false;
        }
    }

    /** 127.0.0.1, independent of how this machine resolves localhost. */
    private static InetAddress loopback() throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    }
}
