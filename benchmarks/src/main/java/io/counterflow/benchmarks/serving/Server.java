package io.counterflow.benchmarks.serving;

import io.counterflow.benchmarks.process.BrokerProcess;
import io.counterflow.benchmarks.process.ChildProcess;
import io.counterflow.benchmarks.process.UntilClosed;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server in a process of its own. */
final class Server implements AutoCloseable {

    /** The prefix of the topics of serving. */
    static final String PREFIX = "counterflow";

    /** With the garbage collector of the image for serving. */
    private static final List<String> FLAGS = List.of("-Xmx2g", "-XX:+UseParallelGC");

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final long MAX_START_NS = TimeUnit.MINUTES.toNanos(2);
    private static final long POLL_MS = 50;
    private static final int OK = 200;

    private final String name;
    private final ChildProcess process;
    private final BrokerProcess broker;
    private final TopicLog records;
    private final int port;

    private Server(
            String name, ChildProcess process, BrokerProcess broker, String topic, int port) {
        this.name = name;
        this.process = process;
        this.broker = broker;
        this.records = new TopicLog(broker.data(), topic);
        this.port = port;
    }

    /**
     * Starts serving of any version by its command {@code serve}.
     *
     * @param classPath class path of the command of this version
     */
    static Server serving(String name, String classPath, BrokerProcess broker, Path directory)
            throws IOException, InterruptedException {
        int port = freePort();
        int management = freePort();
        Path config = directory.resolve(name + ".yaml");
        Files.writeString(config, config(broker.bootstrapServers(), port, management));
        ChildProcess process =
                UntilClosed.start(
                        "io.counterflow.cli.Counterflow",
                        FLAGS,
                        classPath,
                        List.of("serve", "--config", config.toString()));
        Server server = new Server(name, process, broker, PREFIX + ".impressions", port);
        try {
            server.awaitReady(management);
            return server;
        } catch (IOException | InterruptedException e) {
            server.close();
            throw e;
        }
    }

    /**
     * Starts a server to compare rank with.
     *
     * @param recordings what it writes and answers
     */
    static Server reference(ReferenceServer.Kind kind, BrokerProcess broker, Path recordings)
            throws IOException {
        ChildProcess process =
                ChildProcess.start(
                        ReferenceServer.class,
                        FLAGS,
                        System.getProperty("java.class.path"),
                        List.of(kind.name(), broker.bootstrapServers(), recordings.toString()));
        return new Server(
                kind.label(),
                process,
                broker,
                kind.label() + ".impressions",
                Integer.parseInt(process.readLine()));
    }

    /** The configuration of serving, and of the servers that are compared with it. */
    static String config(String bootstrapServers, int port, int management) {
        return """
                kafka.bootstrap-servers: %s
                serving.port: %d
                serving.management.port: %d
                serving.threads: %d
                serving.requests-per-second: 1000000
                """
                .formatted(
                        bootstrapServers,
                        port,
                        management,
                        Runtime.getRuntime().availableProcessors());
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void awaitReady(int management) throws IOException, InterruptedException {
        HttpRequest ready =
                HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:%d/readyz".formatted(management)))
                        .build();
        long end = System.nanoTime() + MAX_START_NS;
        while (process.handle().isAlive() && System.nanoTime() < end) {
            try {
                if (HTTP.send(ready, HttpResponse.BodyHandlers.discarding()).statusCode() == OK) {
                    return;
                }
            } catch (IOException e) {
                // The port is not open yet.
            }
            Thread.sleep(POLL_MS);
        }
        throw new IOException("%s did not start".formatted(name));
    }

    String name() {
        return name;
    }

    BrokerProcess broker() {
        return broker;
    }

    ProcessHandle handle() {
        return process.handle();
    }

    /** The records that it writes. */
    TopicLog records() {
        return records;
    }

    /** Connections that send these bodies to rank of a loop. */
    Load load(String loop, List<byte[]> bodies, int connections) throws IOException {
        List<byte[]> requests = new ArrayList<>();
        for (byte[] body : bodies) {
            requests.add(request(rankPath(loop), body));
        }
        return new Load(port, requests, connections);
    }

    /** Sends one request and returns the body of the response. */
    byte[] call(String method, String path, byte[] body) throws IOException, InterruptedException {
        HttpResponse<byte[]> response =
                HTTP.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                .header("content-type", "application/json")
                                .method(method, HttpRequest.BodyPublishers.ofByteArray(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() / 100 != 2) {
            throw new IOException(
                    "%s answered %d: %s"
                            .formatted(
                                    name,
                                    response.statusCode(),
                                    new String(response.body(), StandardCharsets.UTF_8)));
        }
        return response.body();
    }

    static String loopPath(String loop) {
        return "/v1/loops/" + loop;
    }

    static String rankPath(String loop) {
        return loopPath(loop) + "/rank";
    }

    /** A complete request, which can be sent many times. */
    private static byte[] request(String path, byte[] body) {
        byte[] head =
                "POST %s HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
                        .formatted(path, body.length)
                        .getBytes(StandardCharsets.US_ASCII);
        byte[] request = Arrays.copyOf(head, head.length + body.length);
        System.arraycopy(body, 0, request, head.length, body.length);
        return request;
    }

    @Override
    public void close() {
        process.close();
    }
}
