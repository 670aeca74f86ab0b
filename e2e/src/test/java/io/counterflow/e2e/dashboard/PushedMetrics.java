package io.counterflow.e2e.dashboard;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.configuration.Configuration;

/**
 * Receives the metrics that Flink pushes in the format of Prometheus. The reporter that Prometheus
 * scrapes has the same names, but listens on all addresses.
 */
final class PushedMetrics implements AutoCloseable {

    private final HttpServer server;
    private final Map<String, String> newest = new ConcurrentHashMap<>(); // by path of the reporter

    private PushedMetrics(HttpServer server) {
        this.server = server;
        server.createContext("/", this::take);
        server.start();
    }

    static PushedMetrics open() throws IOException {
        return new PushedMetrics(
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            newest.put(
                    exchange.getRequestURI().getPath(),
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(202, -1);
        }
    }

    /** The settings with which a cluster reports to this server. */
    Configuration cluster() {
        Configuration settings = new Configuration();
        String reporter = "metrics.reporter.push.";
        settings.setString(
                reporter + "factory.class",
                "org.apache.flink.metrics.prometheus.PrometheusPushGatewayReporterFactory");
        settings.setString(
                reporter + "hostUrl", "http://127.0.0.1:" + server.getAddress().getPort());
        settings.setString(reporter + "interval", "1 SECONDS");
        settings.setString(reporter + "filterLabelValueCharacters", "false"); // as deployed
        return settings;
    }

    /** The newest metrics of each reporter, in the text format of Prometheus. */
    String text() {
        return String.join("\n", newest.values());
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
