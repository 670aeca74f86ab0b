package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.serving.ServingProcess;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.ServingLog;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Serving starts before Kafka. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class ServingStartIT {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir private Path directory;

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static HttpResponse<String> get(int port, String path) {
        return send(port, path).join();
    }

    private static CompletableFuture<HttpResponse<String>> send(int port, String path) {
        return CLIENT.sendAsync(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static boolean answers(int port) {
        return send(port, "/livez")
                .handle((response, failure) -> failure == null && response.statusCode() == 200)
                .join();
    }

    @Test
    void aServerWithoutKafkaSaysSoAndGoesOnTrying() throws Exception {
        int broker = freePort();
        int api = freePort();
        int management = freePort();
        ServingConfig config =
                ServingConfig.parse(
                        """
                        kafka.bootstrap-servers: 127.0.0.1:%d
                        serving.port: %d
                        serving.management.port: %d
                        """
                                .formatted(broker, api, management),
                        Map.of());
        ByteArrayOutputStream logged = new ByteArrayOutputStream();
        ServingLog log =
                new ServingLog(
                        new PrintStream(logged, true, StandardCharsets.UTF_8), Clock.systemUTC());
        CompletableFuture<ServingProcess> starting =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return ServingProcess.start(config, log, Clock.systemUTC());
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
        try {
            RunningServing.await("the ports", () -> answers(management));
            HttpResponse<String> ready = get(management, "/readyz");
            assertThat(ready.statusCode()).isEqualTo(503);
            JsonNode readiness = new ObjectMapper().readTree(ready.body());
            assertThat(readiness.get("kafka").asText()).isEqualTo("connecting");
            HttpResponse<String> call = get(api, "/v1/loops");
            assertThat(call.statusCode()).isEqualTo(503);
            assertThat(call.body()).contains("problem:not-ready", "Kafka has not answered yet");
            RunningServing.await(
                    "the log",
                    () -> {
                        String text = logged.toString(StandardCharsets.UTF_8);
                        return text.contains("kafka-away") && text.contains("127.0.0.1:" + broker);
                    });
            assertThat(get(management, "/metrics").body())
                    .contains("counterflow_kafka_connected 0");
            try (EmbeddedKafka kafka = EmbeddedKafka.start(directory.resolve("k"), broker)) {
                assertThat(kafka.bootstrapServers()).endsWith(":" + broker);
                try (ServingProcess serving = starting.get()) {
                    RunningServing.await("policies", serving::ready);
                    assertThat(get(api, "/v1/loops").statusCode()).isEqualTo(200);
                    RunningServing.await(
                            "a heartbeat",
                            () -> get(management, "/readyz").body().contains("\"connected\""));
                    assertThat(get(management, "/metrics").body())
                            .contains("counterflow_kafka_connected 1", "counterflow_job_lag");
                }
            }
        } finally {
            starting.get().close();
        }
    }
}
