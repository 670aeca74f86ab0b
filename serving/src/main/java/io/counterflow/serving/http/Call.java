package io.counterflow.serving.http;

import io.counterflow.serving.auth.Caller;
import io.vertx.core.buffer.Buffer;
import java.util.Map;

/**
 * One request, checked and read whole.
 *
 * @param path what stands for the names in braces of the route's template
 * @param query parameters behind the question mark, the first of each name
 * @param body at most as large as the server allows; may be empty
 * @param caller who calls
 * @param requestId the request's name in logs and answers
 */
public record Call(
        Map<String, String> path,
        Map<String, String> query,
        Buffer body,
        Caller caller,
        String requestId) {

    /** What stands for a name in braces of the template. */
    public String path(String name) {
        String value = path.get(name);
        if (value == null) {
            throw new IllegalStateException("the route has no " + name);
        }
        return value;
    }

    /** Without the body, which is a user's. */
    @Override
    public String toString() {
        return "Call[" + requestId + "]";
    }
}
