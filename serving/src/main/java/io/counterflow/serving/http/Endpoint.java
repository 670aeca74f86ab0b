package io.counterflow.serving.http;

import io.counterflow.serving.auth.Scope;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Optional;

/**
 * One call of the API.
 *
 * @param method the HTTP method
 * @param template a path such as {@code /v1/loops/{loop}/rank}
 * @param scope the scope that the caller's token must have; empty if no token is needed
 * @param handler answers the call
 */
public record Endpoint(HttpMethod method, String template, Optional<Scope> scope, Handler handler) {

    /** Answers calls. It must not block, because it runs on an event loop. */
    @FunctionalInterface
    public interface Handler {

        /**
         * Answers a call. An {@link IllegalArgumentException} means that the request is invalid, a
         * {@link ProblemException} is any other refusal. Both may be thrown or fail the future.
         */
        Future<Reply> handle(Call call);
    }

    public Endpoint {
        if (!template.startsWith("/")) {
            throw new IllegalArgumentException("template must start with /, got " + template);
        }
    }

    public static Endpoint get(String template, Scope scope, Handler handler) {
        return new Endpoint(HttpMethod.GET, template, Optional.of(scope), handler);
    }

    public static Endpoint put(String template, Scope scope, Handler handler) {
        return new Endpoint(HttpMethod.PUT, template, Optional.of(scope), handler);
    }

    public static Endpoint post(String template, Scope scope, Handler handler) {
        return new Endpoint(HttpMethod.POST, template, Optional.of(scope), handler);
    }

    /** A page or document that needs no token. */
    public static Endpoint open(String template, Handler handler) {
        return new Endpoint(HttpMethod.GET, template, Optional.empty(), handler);
    }

    /** The parts of the template between slashes. */
    List<String> segments() {
        return List.of(template.substring(1).split("/", -1));
    }
}
