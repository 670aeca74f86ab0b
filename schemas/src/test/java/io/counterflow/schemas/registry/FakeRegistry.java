package io.counterflow.schemas.registry;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A registry in memory, with the calls that are used. */
final class FakeRegistry implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final AtomicInteger CREATED = new AtomicInteger();

    private final HttpServer server;

    /** Its own, because readers are shared by those who name the same address. */
    private final String path = "/registry-" + CREATED.incrementAndGet();

    /** The schema of each subject. */
    final Map<String, String> subjects = Collections.synchronizedMap(new TreeMap<>());

    /** Paths and credentials of all requests. */
    final List<String> requests = Collections.synchronizedList(new ArrayList<>());

    private final List<String> schemas = Collections.synchronizedList(new ArrayList<>());
    private volatile int status = 200;
    private volatile String body = "";

    FakeRegistry() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    /** From now on, it answers all requests like this. */
    void answer(int always, String text) {
        status = always;
        body = text;
    }

    ConfluentEncoding encoding(@Nullable String credentials) {
        return new ConfluentEncoding(
                new RegistryAddress(
                        URI.create(
                                "http://127.0.0.1:%d%s"
                                        .formatted(server.getAddress().getPort(), path)),
                        credentials));
    }

    /** Adds a schema that nobody has registered, and returns its id. */
    int add(String schema) {
        schemas.add(schema);
        return schemas.size() - 1;
    }

    /** The id of a schema; -1 if it is not registered. */
    int id(String schema) {
        return schemas.indexOf(schema);
    }

    private void answer(HttpExchange exchange) {
        try (exchange) {
            String called = exchange.getRequestURI().getRawPath().replace(path, "");
            String credentials = exchange.getRequestHeaders().getFirst("authorization");
            requests.add(called + (credentials == null ? "" : " " + credentials));
            byte[] request = exchange.getRequestBody().readAllBytes();
            if (!body.isEmpty()) {
                reply(exchange, status, body);
            } else if (called.startsWith("/subjects/")) {
                String subject = called.split("/", -1)[2];
                String schema = JSON.readTree(request).get("schema").asText();
                subjects.put(URLDecoder.decode(subject, StandardCharsets.UTF_8), schema);
                reply(
                        exchange,
                        200,
                        "{\"id\":%d}".formatted(id(schema) < 0 ? add(schema) : id(schema)));
            } else {
                int id = Integer.parseInt(called.replace("/schemas/ids/", ""));
                if (id < schemas.size()) {
                    reply(
                            exchange,
                            200,
                            JSON.writeValueAsString(Map.of("schema", schemas.get(id))));
                } else {
                    reply(exchange, 404, "{\"error_code\":40403,\"message\":\"not found\"}");
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void reply(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
