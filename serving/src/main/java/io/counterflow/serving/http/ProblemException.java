package io.counterflow.serving.http;

import io.counterflow.client.policies.PolicyStore;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/** A call is refused with a problem document (RFC 9457). */
public final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private static final String CONTENT_TYPE = "application/problem+json";
    private static final String TYPE = "urn:counterflow:problem:";

    private final int status;
    private final String name;
    private final String detail;
    private final transient Map<String, Object> extensions;

    /**
     * @param name the kind of problem, a fixed name that clients can test
     * @param detail what is wrong; never quotes features
     */
    public ProblemException(int status, String name, String detail) {
        this(status, name, detail, Map.of());
    }

    private ProblemException(
            int status, String name, String detail, Map<String, Object> extensions) {
        super(detail, null, false, false); // no stack trace, because a refusal is no defect
        this.status = status;
        this.name = name;
        this.detail = detail;
        this.extensions = extensions;
    }

    public static ProblemException notFound() {
        return new ProblemException(404, "not-found", "there is nothing at this path");
    }

    /** A token of other loops. */
    public static ProblemException loopNotAllowed() {
        return new ProblemException(403, "loop-not-allowed", "the token is limited to other loops");
    }

    /** A loop that does not exist, or is too large for this process. */
    public static ProblemException notServed(String loop, PolicyStore policies) {
        String refusal = policies.refusedLoops().get(loop);
        return refusal == null
                ? new ProblemException(404, "unknown-loop", "there is no loop \"" + loop + "\"")
                : new ProblemException(503, "loop-refused", "the loop is not served: " + refusal);
    }

    /** Kafka cannot be reached or is too slow. */
    public static ProblemException notLogged(String detail) {
        return new ProblemException(503, "not-logged", detail);
    }

    /**
     * The same problem, or a copy that says that sending the request again does not help, if Kafka
     * refuses the record.
     */
    public ProblemException because(@Nullable Throwable failure) {
        if (failure == null) {
            return this;
        }
        if (failure instanceof RecordTooLargeException) {
            return new ProblemException(
                    413,
                    "record-too-large",
                    "the request makes a record that is larger than Kafka's topic allows",
                    extensions);
        }
        if (failure instanceof AuthorizationException
                || failure instanceof AuthenticationException) {
            return new ProblemException(
                    500,
                    "kafka-not-authorized",
                    "Kafka does not allow this server to write; its operator must change that",
                    extensions);
        }
        return because(failure.getCause());
    }

    /** A copy with one more field of the document: a string, number, map or list. */
    public ProblemException with(String field, Object value) {
        Map<String, Object> more = new TreeMap<>(extensions);
        more.put(field, value);
        return new ProblemException(status, name, detail, more);
    }

    int status() {
        return status;
    }

    /** The kind of problem. */
    String name() {
        return name;
    }

    String detail() {
        return detail;
    }

    Map<String, Object> extensions() {
        return extensions;
    }

    Reply reply(String requestId) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("type", TYPE + name);
        document.put("title", name.replace('-', ' '));
        document.put("status", status);
        document.put("detail", detail);
        document.put("instance", "urn:counterflow:request:" + requestId);
        document.putAll(extensions);
        return withRetryAfter(
                Reply.of(status, CONTENT_TYPE, Reply.json(json -> json.writePOJO(document))));
    }

    /** A copy of a reply that says when to send the request again, if that helps. */
    Reply withRetryAfter(Reply reply) {
        return status == 503 || status == 429 ? reply.with("retry-after", "1") : reply;
    }
}
