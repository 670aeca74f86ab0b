package io.counterflow.serving.http;

import io.counterflow.core.numeric.Require;
import io.counterflow.serving.auth.Scope;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * One call of the API.
 *
 * @param template a path such as {@code /v1/loops/{loop}/rank}
 * @param scope the scope that the caller's token must have; empty if no token is needed
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
        Require.that(template.startsWith("/"), "template must start with /, got %s", template);
    }

    /** A call that reads what is in memory. */
    public static Endpoint get(String template, Function<Call, Reply> reply) {
        return reading(template, call -> Future.succeededFuture(reply.apply(call)));
    }

    /** A call that reads. */
    public static Endpoint reading(String template, Handler handler) {
        return reading(template, Scope.READ, handler);
    }

    /** A call that reads what needs a scope of its own. */
    public static Endpoint reading(String template, Scope scope, Handler handler) {
        return new Endpoint(HttpMethod.GET, template, Optional.of(scope), handler);
    }

    public static Endpoint put(String template, Scope scope, Handler handler) {
        return new Endpoint(HttpMethod.PUT, template, Optional.of(scope), handler);
    }

    public static Endpoint delete(String template, Scope scope, Handler handler) {
        return new Endpoint(HttpMethod.DELETE, template, Optional.of(scope), handler);
    }

    public static Endpoint post(String template, Scope scope, Handler handler) {
        return new Endpoint(HttpMethod.POST, template, Optional.of(scope), handler);
    }

    /** A page or document that needs no token. */
    public static Endpoint open(String template, Function<Call, Reply> reply) {
        return new Endpoint(
                HttpMethod.GET,
                template,
                Optional.empty(),
                call -> Future.succeededFuture(reply.apply(call)));
    }

    /** The parts of the template between slashes. */
    List<String> segments() {
        return List.of(template.substring(1).split("/", -1));
    }
}
