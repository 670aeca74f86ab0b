package io.counterflow.serving.http;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.serving.auth.Caller;
import io.vertx.core.buffer.Buffer;
import java.util.Map;

/**
 * A checked request with its body.
 *
 * @param path values of the names in braces of the endpoint's template
 * @param query query parameters, the first of each name
 * @param body at most as large as the server allows; may be empty
 * @param client whose requests are limited together: the name of the token, or the address
 * @param requestId the request's id in logs and replies
 */
public record Call(
        Map<String, String> path,
        Map<String, String> query,
        Buffer body,
        Caller caller,
        String client,
        String requestId,
        Conditions conditions) {

    /** The value of a name in braces of the template. */
    public String path(String name) {
        String value = path.get(name);
        if (value == null) {
            throw new IllegalStateException("the template has no " + name);
        }
        return value;
    }

    /** The loop that the path names. */
    public ServedLoop loop(PolicyStore policies) {
        String name = path("loop");
        return policies.loop(name).orElseThrow(() -> ProblemException.notServed(name, policies));
    }

    /** Without the body, which holds user data. */
    @Override
    public String toString() {
        return "Call[" + requestId + "]";
    }
}
