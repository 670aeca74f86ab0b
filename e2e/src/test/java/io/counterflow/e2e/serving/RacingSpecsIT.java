package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.client.ClientSettings;
import io.counterflow.client.CounterflowClient;
import io.counterflow.client.ProblemResponseException;
import io.counterflow.e2e.shared.SharedKafka;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Two servers on one broker change the same loop. */
final class RacingSpecsIT {

    private static final int ROUNDS = 10;
    private static final String SPEC = "{\"bits\":10,\"explorationFloor\":%s}";
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static SharedKafka kafka;

    @BeforeAll
    static void start(SharedKafka shared) {
        kafka = shared;
    }

    private static HttpRequest put(
            RunningServing serving, String condition, String value, double floor) {
        return HttpRequest.newBuilder(serving.uri("/v1/loops/raced"))
                .header("content-type", "application/json")
                .header(condition, value)
                .PUT(HttpRequest.BodyPublishers.ofString(SPEC.formatted(floor)))
                .build();
    }

    private static CompletableFuture<HttpResponse<String>> send(HttpRequest request) {
        return CLIENT.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    }

    private static String tag(HttpResponse<String> response) {
        return response.headers().firstValue("etag").orElseThrow();
    }

    @Test
    void ofTwoChangesWithTheSameTagAtMostOneIsMade() throws Exception {
        try (RunningServing first = RunningServing.start(kafka, "");
                RunningServing second = RunningServing.start(kafka, "")) {
            String tag = tag(send(put(first, "if-none-match", "*", 0.5)).get());
            int made = 0;
            for (int round = 0; round < ROUNDS; round++) {
                double floor = 0.1 + 0.01 * round;
                List<CompletableFuture<HttpResponse<String>>> racing =
                        List.of(
                                send(put(first, "if-match", tag, floor)),
                                send(put(second, "if-match", tag, floor + 0.5)));
                String next = tag;
                int won = 0;
                for (CompletableFuture<HttpResponse<String>> answer : racing) {
                    HttpResponse<String> response = answer.get();
                    assertThat(response.statusCode()).as(response.body()).isIn(200, 409, 412);
                    if (response.statusCode() == 200) {
                        won++;
                        next = tag(response);
                    }
                }
                assertThat(won).as("round " + round).isLessThanOrEqualTo(1);
                made += won;
                // The other server may not have read the change yet, but it must not overlook it.
                HttpResponse<String> late = send(put(second, "if-match", "\"stale\"", 0.9)).get();
                assertThat(late.statusCode()).isEqualTo(412);
                assertThat(late.body()).contains(next.replace("\"", "\\\""));
                tag = next;
            }
            assertThat(made).as("changes").isPositive();
        }
    }

    /** The other server may not have read the deletion yet, but it must not overlook it. */
    @Test
    void aLoopThatOneServerDeletesIsCreatedAnewByTheOther() throws Exception {
        try (RunningServing first = RunningServing.start(kafka, "");
                RunningServing second = RunningServing.start(kafka, "")) {
            CounterflowClient client = new CounterflowClient(ClientSettings.of(first.uri("")));
            send(put(first, "if-none-match", "*", 0.2)).get();
            for (int round = 0; round < 3; round++) {
                String tag = tag(send(put(second, "if-match", "*", 0.3 + 0.01 * round)).get());
                client.deleteLoop("raced");
                assertThatThrownBy(() -> client.deleteLoop("raced"))
                        .isInstanceOfSatisfying(
                                ProblemResponseException.class,
                                problem -> assertThat(problem.status()).isEqualTo(404));
                assertThat(send(put(second, "if-match", tag, 0.2)).get().statusCode())
                        .isEqualTo(412);
                HttpResponse<String> created = send(put(second, "if-none-match", "*", 0.2)).get();
                assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
                assertThat(created.body()).contains("\"version\":1,");
            }
            client.deleteLoop("raced");
        }
    }
}
