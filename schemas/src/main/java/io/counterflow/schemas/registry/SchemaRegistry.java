package io.counterflow.schemas.registry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.InterruptException;

/** The two calls of Confluent's REST API that producers and consumers need. */
final class SchemaRegistry {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final String CONTENT_TYPE = "application/vnd.schemaregistry.v1+json";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_QUOTED = 200;

    private final RegistryAddress address;
    private final HttpClient client =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(TIMEOUT)
                    .build();

    SchemaRegistry(RegistryAddress address) {
        this.address = address;
    }

    /**
     * Adds a schema to a subject, if it is not there yet.
     *
     * @return its id
     * @throws ConfigException if the registry refuses it
     */
    int register(String subject, String schema) {
        String path =
                "subjects/%s/versions"
                        .formatted(URLEncoder.encode(subject, StandardCharsets.UTF_8));
        HttpResponse<String> response =
                send(request(path).POST(HttpRequest.BodyPublishers.ofString(body(schema))).build());
        if (response.statusCode() != 200) {
            throw new ConfigException(
                    "the schema registry %s refuses the schema of %s: %d %s"
                            .formatted(address, subject, response.statusCode(), quoted(response)));
        }
        JsonNode id = json(response).path("id");
        if (!id.isInt()) {
            throw unusable(response);
        }
        return id.intValue();
    }

    /** The Avro schema with an id; empty if there is none. */
    Optional<String> schema(int id) {
        HttpResponse<String> response =
                send(request("schemas/ids/" + Integer.toUnsignedString(id)).GET().build());
        if (response.statusCode() == 404) {
            return Optional.empty();
        }
        if (response.statusCode() != 200) {
            throw new ConfigException(
                    "the schema registry %s does not return schema %d: %d %s"
                            .formatted(address, id, response.statusCode(), quoted(response)));
        }
        JsonNode answer = json(response);
        if (!answer.path("schema").isTextual()) {
            throw unusable(response);
        }
        return answer.path("schemaType").asText("AVRO").equals("AVRO")
                ? Optional.of(answer.get("schema").textValue())
                : Optional.empty();
    }

    private static String body(String schema) {
        try {
            return JSON.writeValueAsString(Map.of("schema", schema));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(address.resolve(path))
                        .timeout(TIMEOUT)
                        .header("accept", CONTENT_TYPE)
                        .header("content-type", CONTENT_TYPE);
        String credentials = address.credentials();
        if (credentials != null) {
            byte[] bytes = credentials.getBytes(StandardCharsets.UTF_8);
            request.header("authorization", "Basic " + Base64.getEncoder().encodeToString(bytes));
        }
        return request;
    }

    private HttpResponse<String> send(HttpRequest request) {
        try {
            HttpResponse<String> response =
                    client.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() >= 500 || response.statusCode() == 429) {
                throw new KafkaException(
                        "the schema registry %s answers %d"
                                .formatted(address, response.statusCode()));
            }
            return response;
        } catch (IOException e) {
            throw new KafkaException(
                    "the schema registry %s does not answer".formatted(address), e);
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    private JsonNode json(HttpResponse<String> response) {
        try {
            return JSON.readTree(response.body());
        } catch (JsonProcessingException e) {
            throw unusable(response);
        }
    }

    private ConfigException unusable(HttpResponse<String> response) {
        return new ConfigException(
                "schemas.registry-url %s must be the API of a schema registry, got the answer %s"
                        .formatted(address, quoted(response)));
    }

    private static String quoted(HttpResponse<String> response) {
        String body = response.body().strip();
        return body.length() <= MAX_QUOTED ? body : body.substring(0, MAX_QUOTED) + "…";
    }
}
