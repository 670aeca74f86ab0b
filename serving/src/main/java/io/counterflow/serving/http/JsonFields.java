package io.counterflow.serving.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonToken;
import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.schemas.json.JsonDocument;
import io.counterflow.schemas.json.JsonLimits;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The fields of a request's JSON object, in any order, each once. */
public final class JsonFields {

    /** Half of the limits of an impression, so that every request fits into one. */
    public static final JsonLimits LIMITS = new JsonLimits(24, 65_536, 200_000, 10_000);

    private static final JsonFactory FACTORY = JsonDocument.factory(LIMITS);
    private static final int SHOWN = 40;
    private static final char REPLACEMENT = '\uFFFD';

    private JsonFields() {}

    /** Reads the value of a field, or throws {@link #unknown}. */
    @FunctionalInterface
    public interface Field {
        void take(String name, JsonDocument json) throws IOException;
    }

    /** Reads an object; {@code null} means absent, and unknown fields are refused. */
    public static void read(Buffer body, Field field) {
        Object unused =
                JsonDocument.read(
                        FACTORY,
                        text(body),
                        document -> {
                            readFields(document, field);
                            return body;
                        });
    }

    /** A body as text; refuses bytes that are not UTF-8. */
    public static String text(Buffer body) {
        byte[] bytes = body.getBytes();
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (text.indexOf(REPLACEMENT) < 0) {
            return text;
        }
        try { // a replacement character may have been sent as such
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("the body must be UTF-8", e);
        }
    }

    private static void readFields(JsonDocument document, Field field) throws IOException {
        Set<String> seen = new HashSet<>();
        for (String name = document.nextField(); name != null; name = document.nextField()) {
            if (!seen.add(name)) {
                throw new InvalidJsonException(shown(name), "must be given once, got it again");
            }
            if (document.nextToken() != JsonToken.VALUE_NULL) {
                field.take(name, document);
            }
        }
    }

    /** The exception for a field that a request does not have. */
    public static InvalidJsonException unknown(String name) {
        return new InvalidJsonException(shown(name), "is not a field of this request");
    }

    private static String shown(String name) {
        return name.substring(0, Math.min(SHOWN, name.length()));
    }

    /** An array of strings. */
    public static List<String> texts(String field, JsonDocument json) throws IOException {
        return json.list(field, "an array of strings", LIMITS.maxActions(), json::text);
    }
}
