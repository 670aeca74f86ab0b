package io.counterflow.serving.http;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/**
 * What went wrong, as RFC 9457 writes it.
 *
 * @param status HTTP's status
 * @param name what kind of problem it is, in fixed words to count by
 * @param detail what must be otherwise; never a feature's value
 * @param extensions more fields of the document: texts, numbers, or lists of objects
 */
public record Problem(int status, String name, String detail, Map<String, Object> extensions) {

    public static final String CONTENT_TYPE = "application/problem+json";

    private static final String TYPE = "urn:counterflow:problem:";

    public Problem {
        extensions = Map.copyOf(extensions);
    }

    public static Problem of(int status, String name, String detail) {
        return new Problem(status, name, detail, Map.of());
    }

    /** The request is not what it must be. */
    public static Problem badRequest(String detail) {
        return of(400, "bad-request", detail);
    }

    /** Nobody has made this loop. */
    public static Problem unknownLoop(String loop) {
        return of(404, "unknown-loop", "loop must exist, and there is no \"" + loop + "\"");
    }

    /** Kafka cannot be reached or is too slow. */
    public static Problem notLogged(String detail) {
        return of(503, "not-logged", detail);
    }

    /** The same with one more field. */
    public Problem with(String field, Object value) {
        Map<String, Object> more = new TreeMap<>(extensions);
        more.put(field, value);
        return new Problem(status, name, detail, more);
    }

    public ProblemException asException() {
        return new ProblemException(this);
    }

    /** The document. */
    public Reply reply(String requestId) {
        Reply reply = Reply.of(status, CONTENT_TYPE, Reply.json(json -> write(requestId, json)));
        return status == 503 || status == 429 ? reply.with("retry-after", "1") : reply;
    }

    private void write(String requestId, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("type", TYPE + name);
        json.writeStringField("title", name.replace('-', ' '));
        json.writeNumberField("status", status);
        json.writeStringField("detail", detail);
        json.writeStringField("instance", "urn:counterflow:request:" + requestId);
        for (Map.Entry<String, Object> field : new TreeMap<>(extensions).entrySet()) {
            json.writeFieldName(field.getKey());
            writeValue(field.getValue(), json);
        }
        json.writeEndObject();
    }

    private static void writeValue(Object value, JsonGenerator json) throws IOException {
        if (value instanceof Iterable<?> list) {
            json.writeStartArray();
            for (Object element : list) {
                writeValue(element, json);
            }
            json.writeEndArray();
        } else if (value instanceof Map<?, ?> object) {
            json.writeStartObject();
            for (Map.Entry<?, ?> field : object.entrySet()) {
                json.writeFieldName(String.valueOf(field.getKey()));
                writeValue(field.getValue(), json);
            }
            json.writeEndObject();
        } else if (value instanceof Long || value instanceof Integer) {
            json.writeNumber(((Number) value).longValue());
        } else {
            json.writeString(value.toString());
        }
    }
}
