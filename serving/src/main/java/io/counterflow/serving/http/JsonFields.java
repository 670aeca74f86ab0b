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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The fields of a request's JSON object, in any order, each once. */
public final class JsonFields {

    /** Half of the limits of an impression, so that every request fits into one. */
    public static final JsonLimits LIMITS = new JsonLimits(24, 65_536, 200_000, 10_000);

    private static final JsonFactory FACTORY = JsonDocument.factory(LIMITS);
    private static final int SHOWN = 40;
    private static final char REPLACEMENT = '\uFFFD';

    private JsonFields() {}

    /** Reads the value of a field. */
    @FunctionalInterface
    public interface Field {
        /** Returns false for an unknown field. */
        boolean take(String name, JsonDocument json) throws IOException;
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
        for (Optional<String> name = document.nextField();
                name.isPresent();
                name = document.nextField()) {
            String shown = name.get().substring(0, Math.min(SHOWN, name.get().length()));
            if (!seen.add(name.get())) {
                throw new InvalidJsonException(shown, "must be given once, got it again");
            }
            if (document.nextToken() != JsonToken.VALUE_NULL && !field.take(name.get(), document)) {
                throw new InvalidJsonException(shown, "is not a field of this request");
            }
        }
    }

    /** An array of strings. */
    public static List<String> texts(String field, JsonDocument json) throws IOException {
        json.require(JsonToken.START_ARRAY, field, "an array of strings");
        List<String> values = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (values.size() == LIMITS.maxActions()) {
                throw new InvalidJsonException(
                        field, "must not have more than " + LIMITS.maxActions() + " entries");
            }
            values.add(json.text(field + "[" + values.size() + "]"));
        }
        return values;
    }
}
