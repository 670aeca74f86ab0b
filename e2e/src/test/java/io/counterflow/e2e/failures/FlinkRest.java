package io.counterflow.e2e.failures;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Calls of the REST endpoint of a Flink cluster that runs one job. */
final class FlinkRest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final URI address;

    FlinkRest(URI address) {
        this.address = address;
    }

    /** Tells the job to stop with a savepoint. */
    void stopWithSavepoint(URI directory) throws IOException, InterruptedException {
        String job = job().get("id").asText();
        send(
                HttpRequest.newBuilder(address.resolve("/jobs/" + job + "/stop"))
                        .header("content-type", "application/json")
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        "{\"drain\":false,\"targetDirectory\":\"%s\"}"
                                                .formatted(directory))));
    }

    /** Whether the job has ended. In application mode, the endpoint ends with the job. */
    boolean hasEnded() throws InterruptedException {
        try {
            return job().get("status").asText().equals("FINISHED");
        } catch (IOException e) {
            return true;
        }
    }

    private JsonNode job() throws IOException, InterruptedException {
        return get("/jobs").get("jobs").get(0);
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(address.resolve(path)).GET());
    }

    private JsonNode send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response =
                client.send(
                        request.timeout(Duration.ofSeconds(30)).build(),
                        HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() / 100 != 2) {
            throw new IOException("Flink answers " + response.statusCode() + response.body());
        }
        return JSON.readTree(response.body());
    }
}
