package io.counterflow.serving.http;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * A problem document (RFC 9457).
 *
 * @param status the HTTP status
 * @param name the kind of problem, a fixed name that clients can test
 * @param detail what is wrong; never quotes features
 * @param extensions further fields of the document: strings, numbers, maps and lists
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

    /** The request is invalid. */
    public static Problem badRequest(String detail) {
        return of(400, "bad-request", detail);
    }

    /** No endpoint has this path. */
    public static Problem notFound() {
        return of(404, "not-found", "there is nothing at this path");
    }

    /** The loop does not exist. */
    public static Problem unknownLoop(String loop) {
        return of(404, "unknown-loop", "there is no loop \"" + loop + "\"");
    }

    /** Kafka cannot be reached or is too slow. */
    public static Problem notLogged(String detail) {
        return of(503, "not-logged", detail);
    }

    /** A copy with one more field. */
    public Problem with(String field, Object value) {
        Map<String, Object> more = new TreeMap<>(extensions);
        more.put(field, value);
        return new Problem(status, name, detail, more);
    }

    public ProblemException asException() {
        return new ProblemException(this);
    }

    /** The problem document. */
    public Reply reply(String requestId) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("type", TYPE + name);
        document.put("title", name.replace('-', ' '));
        document.put("status", status);
        document.put("detail", detail);
        document.put("instance", "urn:counterflow:request:" + requestId);
        document.putAll(new TreeMap<>(extensions));
        Reply reply = Reply.of(status, CONTENT_TYPE, Reply.json(json -> json.writePOJO(document)));
        return status == 503 || status == 429 ? reply.with("retry-after", "1") : reply;
    }
}
