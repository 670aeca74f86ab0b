package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.topics.Topic;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests during the start, concurrent changes, rate limits, and requests of other sites. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class ServingEdgesIT {

    private static final String SPEC = "{\"actions\":[\"a\",\"b\"],\"features\":1}";
    private static final String RANK = "{\"context\":{\"dense\":[1]}}";

    private static SharedKafka kafka;

    @BeforeAll
    static void start(SharedKafka shared) {
        kafka = shared;
    }

    @Test
    void anExistingLoopIsNeverReportedAsMissingDuringTheStart() throws Exception {
        try (RunningServing first = RunningServing.start(kafka, "")) {
            assertThat(first.put("/v1/loops/kept", SPEC).statusCode()).isEqualTo(201);
        }
        Set<Integer> statuses = new HashSet<>();
        try (RunningServing again = RunningServing.open(kafka, "")) {
            for (int status = 503; status == 503; ) {
                status = again.post("/v1/loops/kept/rank", RANK).statusCode();
                statuses.add(status);
            }
            assertThat(again.put("/v1/loops/kept", SPEC).body()).contains("unchanged");
        }
        assertThat(statuses).isSubsetOf(200, 503).contains(200);
    }

    @Test
    void ofTwoConcurrentChangesOneMayBeRejectedAsAConflict() throws Exception {
        try (RunningServing serving = RunningServing.start(kafka, "")) {
            serving.put("/v1/loops/contested", SPEC);
            for (int round = 1; round <= 10; round++) {
                List<CompletableFuture<HttpResponse<String>>> both = new ArrayList<>();
                for (int side = 0; side < 2; side++) {
                    String spec =
                            SPEC.replace(
                                    "}",
                                    ",\"explorationFloor\":0.%d%d}"
                                            .formatted(round % 10, side + 1));
                    HttpRequest put =
                            serving.request("/v1/loops/contested")
                                    .PUT(HttpRequest.BodyPublishers.ofString(spec))
                                    .build();
                    both.add(serving.client().sendAsync(put, HttpResponse.BodyHandlers.ofString()));
                }
                Set<Long> taken = new HashSet<>();
                int accepted = 0;
                for (CompletableFuture<HttpResponse<String>> each : both) {
                    HttpResponse<String> response = each.get();
                    if (response.statusCode() == 200) {
                        accepted++;
                        taken.add(RunningServing.json(response).get("version").asLong());
                    } else {
                        assertThat(response.statusCode()).as(response.body()).isEqualTo(409);
                        assertThat(response.body()).contains("changed-meanwhile");
                    }
                }
                assertThat(accepted).isPositive();
                assertThat(taken).as("each accepted change has a version").hasSize(accepted);
            }
            assertThat(serving.records(Topic.LOOPS, LoopSpecRecord.class)).isNotEmpty();
        }
    }

    @Test
    void requestsAboveTheRateLimitAreRejected() throws Exception {
        try (RunningServing serving =
                RunningServing.start(kafka, "serving.requests-per-second: 3")) {
            HttpResponse<String> last = serving.get("/v1/loops");
            for (int i = 0; i < 50 && last.statusCode() == 200; i++) {
                last = serving.get("/v1/loops");
            }
            assertThat(last.statusCode()).isEqualTo(429);
            assertThat(last.headers().firstValue("retry-after")).isPresent();
        }
    }

    @Test
    void requestsOfOtherSitesAreRejected() throws Exception {
        try (RunningServing serving = RunningServing.start(kafka, "")) {
            int port = serving.process().port();
            String own = "127.0.0.1:" + port;
            assertThat(status(port, "Host: " + own)).isEqualTo(200);
            assertThat(status(port, "Host: localhost:" + port)).isEqualTo(200);
            assertThat(status(port, "Host: " + own + "\r\nOrigin: http://" + own)).isEqualTo(200);
            HttpResponse<String> second =
                    HttpClient.newBuilder()
                            .version(HttpClient.Version.HTTP_2)
                            .build()
                            .send(
                                    HttpRequest.newBuilder(serving.uri("/v1/loops")).build(),
                                    HttpResponse.BodyHandlers.ofString());
            assertThat(second.statusCode()).as(second.body()).isEqualTo(200);
            assertThat(status(port, "Host: evil.example:" + port)).isEqualTo(403);
            assertThat(status(port, "Host: 127.0.0.1.evil.example")).isEqualTo(403);
            assertThat(status(port, "Host: " + own + "\r\nOrigin: http://evil.example"))
                    .isEqualTo(403);
            assertThat(status(port, "Host: " + own + "\r\nOrigin: null")).isEqualTo(403);
        }
        try (RunningServing open =
                RunningServing.start(
                        kafka, "serving.auth: none\nserving.allowed-hosts: behind.example")) {
            assertThat(status(open.process().port(), "Host: behind.example")).isEqualTo(200);
            assertThat(status(open.process().port(), "Host: evil.example")).isEqualTo(403);
        }
    }

    /** Uses a socket, because the JDK's client does not allow another host header. */
    private static int status(int port, String headers) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            OutputStream out = socket.getOutputStream();
            out.write(
                    ("GET /v1/loops HTTP/1.1\r\n" + headers + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String answer =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return Integer.parseInt(answer.substring(9, 12));
        }
    }
}
