package io.counterflow.serving.http;

import com.fasterxml.jackson.core.JsonToken;
import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.schemas.json.JsonDocument;
import io.counterflow.schemas.json.JsonLimits;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The fields of a request's JSON object, in any order, each once. */
public final class JsonFields {

    /** Half of the limits of an impression, so that every request fits into one. */
    public static final JsonLimits LIMITS = new JsonLimits(24, 65_536, 200_000, 10_000);

    private static final int SHOWN = 40;

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
                        LIMITS,
                        body.getBytes(),
                        0,
                        body.length(),
                        document -> {
                            readFields(document, field);
                            return body;
                        });
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
        return json.list(field, "an array of strings", LIMITS.maxActions(), () -> json.text(""));
    }
}
