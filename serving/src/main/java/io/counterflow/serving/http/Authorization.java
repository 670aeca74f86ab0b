package io.counterflow.serving.http;

import io.counterflow.core.text.JsonName;
import io.counterflow.serving.auth.Caller;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.auth.Tokens;
import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks the hosts and tokens of requests. A server without tokens accepts all callers. */
public final class Authorization {

    private static final String BEARER = "Bearer ";

    /** The header in which clients of Azure Personalizer send a key. */
    static final String SUBSCRIPTION_KEY = "Ocp-Apim-Subscription-Key";

    private final Optional<Tokens> tokens;
    private final AllowedHosts hosts;

    /**
     * @param tokens the tokens; empty for a server without tokens
     */
    public Authorization(Optional<Tokens> tokens, AllowedHosts hosts) {
        this.tokens = tokens;
        this.hosts = hosts;
    }

    Caller require(HttpServerRequest request, Optional<Scope> scope, Optional<String> loop) {
        hosts.require(request);
        if (tokens.isEmpty() || scope.isEmpty()) {
            return Caller.anyone();
        }
        String token = tokenOf(request);
        if (token == null) {
            throw new ProblemException(401, "no-token", "a bearer token must be sent, got none");
        }
        Caller caller =
                tokens.get()
                        .callerOf(token)
                        .orElseThrow(
                                () ->
                                        new ProblemException(
                                                401, "unknown-token", "the token is not known"));
        if (!caller.may(scope.get())) {
            throw new ProblemException(
                    403,
                    "scope-missing",
                    "the token must have the scope " + JsonName.of(scope.get()));
        }
        if (loop.isPresent() && !caller.mayUse(loop.get())) { // whether it exists or not
            throw ProblemException.loopNotAllowed();
        }
        return caller;
    }

    private static @Nullable String tokenOf(HttpServerRequest request) {
        String header = request.getHeader("Authorization");
        if (header != null && header.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return header.substring(BEARER.length()).strip();
        }
        return request.getHeader(SUBSCRIPTION_KEY);
    }
}
