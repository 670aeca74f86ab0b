package io.counterflow.serving.http;

import io.counterflow.serving.auth.Scope;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Optional;

/**
 * Where an endpoint is found, and what a caller needs.
 *
 * @param method the method
 * @param template a path such as {@code /v1/loops/{loop}/rank}
 * @param scope what the caller's token must allow; empty for what is open to everybody
 */
public record Route(HttpMethod method, String template, Optional<Scope> scope) {

    public Route {
        if (!template.startsWith("/")) {
            throw new IllegalArgumentException("template must start with /, got " + template);
        }
    }

    public static Route get(String template, Scope scope) {
        return new Route(HttpMethod.GET, template, Optional.of(scope));
    }

    public static Route put(String template, Scope scope) {
        return new Route(HttpMethod.PUT, template, Optional.of(scope));
    }

    public static Route post(String template, Scope scope) {
        return new Route(HttpMethod.POST, template, Optional.of(scope));
    }

    /** A page or document that anybody may read. */
    public static Route open(String template) {
        return new Route(HttpMethod.GET, template, Optional.empty());
    }

    /** The parts of the template between slashes. */
    List<String> segments() {
        return List.of(template.substring(1).split("/", -1));
    }
}
