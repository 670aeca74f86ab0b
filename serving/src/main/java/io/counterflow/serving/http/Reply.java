package io.counterflow.serving.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.schemas.json.JsonDocument;
import io.counterflow.schemas.json.JsonLimits;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What is answered.
 *
 * @param status HTTP's status
 * @param contentType what the body is; empty for an answer without one
 * @param body the body
 * @param headers further headers
 * @param stream writes the body itself, piece by piece, until the connection ends
 */
public record Reply(
        int status,
        String contentType,
        Buffer body,
        Map<String, String> headers,
        Optional<Consumer<HttpServerResponse>> stream) {

    public static final String JSON = "application/json";

    private static final com.fasterxml.jackson.core.JsonFactory FACTORY =
            JsonDocument.factory(JsonLimits.defaults());

    public Reply {
        headers = Map.copyOf(headers);
    }

    /** Writes one JSON value. */
    @FunctionalInterface
    public interface Writing {
        void write(JsonGenerator json) throws IOException;
    }

    /** An answer without a body. */
    public static Reply empty(int status) {
        return new Reply(status, "", Buffer.buffer(), Map.of(), Optional.empty());
    }

    /** JSON. */
    public static Reply json(int status, Writing writing) {
        return of(status, JSON, json(writing));
    }

    /** Any document. */
    public static Reply of(int status, String contentType, Buffer body) {
        return new Reply(status, contentType, body, Map.of(), Optional.empty());
    }

    /** Text. */
    public static Reply text(int status, String contentType, String text) {
        return of(status, contentType, Buffer.buffer(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** A body that goes on. */
    public static Reply streaming(String contentType, Consumer<HttpServerResponse> stream) {
        return new Reply(200, contentType, Buffer.buffer(), Map.of(), Optional.of(stream));
    }

    /** The same with one more header. */
    public Reply with(String header, String value) {
        Map<String, String> more = new java.util.HashMap<>(headers);
        more.put(header, value);
        return new Reply(status, contentType, body, more, stream);
    }

    /** One JSON value as bytes. */
    public static Buffer json(Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
            writing.write(json);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return Buffer.buffer(bytes.toByteArray());
    }
}
