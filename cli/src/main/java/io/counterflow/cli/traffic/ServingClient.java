package io.counterflow.cli.traffic;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;

/** How the demo calls serving: over HTTP, as everybody does. Safe for use by several threads. */
public final class ServingClient {

    private static final Duration MAX_CALL = Duration.ofSeconds(20);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final URI loop;
    private final Optional<String> token;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    public ServingClient(int port, String loop) {
        this(URI.create("http://127.0.0.1:" + port), loop, Optional.empty());
    }

    /**
     * @param server where serving listens, without a path
     * @param token what it lets callers in by
     */
    public ServingClient(URI server, String loop, Optional<String> token) {
        this.loop = server.resolve("/v1/loops/" + loop);
        this.token = token;
    }

    /** What was decided. */
    record Decision(int action, long policyVersion) {}

    /** The call was answered by a refusal. */
    static final class RefusedException extends IOException {

        private static final long serialVersionUID = 1L;

        RefusedException(String call, int status) {
            super("%s was answered with status %d".formatted(call, status));
        }
    }

    /** Creates the loop, or changes it; the same spec changes nothing. */
    public void putSpec(String spec) throws IOException, InterruptedException {
        HttpRequest request = request("").PUT(HttpRequest.BodyPublishers.ofString(spec)).build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() / 100 != 2) {
            throw new IOException("the loop was refused: " + answer.body());
        }
    }

    Decision rank(String eventId, String context) throws IOException, InterruptedException {
        JsonNode answer =
                JSON.readTree(
                        post(
                                "/rank",
                                "{\"eventId\":\"" + eventId + "\",\"context\":" + context + "}"));
        return new Decision(answer.path("action").asInt(), answer.path("policyVersion").asLong());
    }

    void reward(String eventId, String rewardId, double value)
            throws IOException, InterruptedException {
        post(
                "/events/" + eventId + "/reward",
                "{\"rewardId\":\"" + rewardId + "\",\"value\":" + value + "}");
    }

    private String post(String path, String body) throws IOException, InterruptedException {
        HttpRequest request = request(path).POST(HttpRequest.BodyPublishers.ofString(body)).build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() / 100 != 2) {
            throw new RefusedException(
                    path.substring(path.lastIndexOf('/') + 1), answer.statusCode());
        }
        return answer.body();
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(loop + path))
                        .timeout(MAX_CALL)
                        .header("content-type", "application/json");
        token.ifPresent(it -> request.header("authorization", "Bearer " + it));
        return request;
    }
}
