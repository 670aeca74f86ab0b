package io.counterflow.serving.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.schemas.json.JsonDocument;
import io.counterflow.schemas.json.JsonLimits;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The reply to a request.
 *
 * @param contentType the content type; empty without a body
 * @param stream writes the body itself until the connection ends
 * @param undelivered runs if the reply does not reach the caller
 */
public record Reply(
        int status,
        String contentType,
        Buffer body,
        Map<String, String> headers,
        Optional<Consumer<HttpServerResponse>> stream,
        Runnable undelivered) {

    public static final String JSON = "application/json";

    private static final ObjectMapper MAPPER =
            new ObjectMapper(JsonDocument.factory(JsonLimits.defaults()));

    public Reply {
        headers = Map.copyOf(headers);
    }

    @FunctionalInterface
    public interface Writing {
        void write(JsonGenerator json) throws IOException;
    }

    public static Reply empty(int status) {
        return new Reply(status, "", Buffer.buffer(), Map.of(), Optional.empty(), Reply::nothing);
    }

    /** JSON that is written piece by piece. */
    public static Reply json(int status, Writing writing) {
        return of(status, JSON, json(writing));
    }

    /** A record, map or list as JSON. */
    public static Reply json(int status, Object value) {
        return of(status, JSON, json(json -> json.writePOJO(value)));
    }

    public static Reply of(int status, String contentType, Buffer body) {
        return new Reply(status, contentType, body, Map.of(), Optional.empty(), Reply::nothing);
    }

    public static Reply text(String contentType, String text) {
        return text(200, contentType, text);
    }

    public static Reply text(int status, String contentType, String text) {
        return of(status, contentType, Buffer.buffer(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** A file among the resources of a class. */
    public static Reply resource(Class<?> owner, String name, String contentType) {
        try (InputStream in = owner.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("missing resource " + name);
            }
            return of(200, contentType, Buffer.buffer(in.readAllBytes()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A body without an end. */
    public static Reply streaming(String contentType, Consumer<HttpServerResponse> stream) {
        return new Reply(
                200, contentType, Buffer.buffer(), Map.of(), Optional.of(stream), Reply::nothing);
    }

    /** A copy with one more header. */
    public Reply with(String header, String value) {
        Map<String, String> more = new HashMap<>(headers);
        more.put(header, value);
        return new Reply(status, contentType, body, more, stream, undelivered);
    }

    /** A copy with an action for the case that the reply does not reach the caller. */
    public Reply ifUndelivered(Runnable action) {
        return new Reply(status, contentType, body, headers, stream, action);
    }

    private static void nothing() {}

    /** One JSON value as bytes. */
    public static Buffer json(Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        try (JsonGenerator json = MAPPER.getFactory().createGenerator(bytes)) {
            writing.write(json);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return Buffer.buffer(bytes.toByteArray());
    }
}
