package io.counterflow.serving.http;

import io.counterflow.serving.auth.Caller;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.auth.Tokens;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Lets callers in by their tokens, or everybody where the server is open. */
public final class Authorization {

    private static final Pattern LOOPBACK =
            Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[?::1]?");
    private static final String BEARER = "Bearer ";

    /** Where clients of Azure Personalizer put what they call a key. */
    private static final String SUBSCRIPTION_KEY = "Ocp-Apim-Subscription-Key";

    private final Optional<Tokens> tokens;
    private final boolean loopbackOnly;

    /**
     * @param tokens the tokens; empty opens the server to everybody
     * @param loopbackOnly whether everybody means programs of this machine: then pages of other
     *     sites are kept out, whose names may be made to lead here
     */
    public Authorization(Optional<Tokens> tokens, boolean loopbackOnly) {
        this.tokens = tokens;
        this.loopbackOnly = loopbackOnly;
    }

    Caller require(HttpServerRequest request, Optional<Scope> scope) {
        if (loopbackOnly) {
            requireLocal(request);
        }
        if (tokens.isEmpty() || scope.isEmpty()) {
            return Caller.anyone();
        }
        String token = tokenOf(request);
        if (token == null) {
            throw Problem.of(401, "no-token", "a bearer token must be sent, got none")
                    .asException();
        }
        Caller caller =
                tokens.get()
                        .callerOf(token)
                        .orElseThrow(
                                () ->
                                        Problem.of(401, "unknown-token", "the token is not known")
                                                .asException());
        if (!caller.may(scope.get())) {
            throw Problem.of(
                            403,
                            "scope-missing",
                            "the token must have the scope " + scope.get().label())
                    .asException();
        }
        return caller;
    }

    private static void requireLocal(HttpServerRequest request) {
        HostAndPort authority = request.authority(); // Host, or what HTTP/2 has instead
        String host = authority == null ? "" : authority.host();
        String origin = request.getHeader("Origin");
        boolean ownPage =
                origin == null
                        || origin.replaceFirst("^https?://", "").equals(String.valueOf(authority));
        if (!LOOPBACK.matcher(host).matches() || !ownPage) {
            throw Problem.of(
                            403,
                            "not-local",
                            "an open server answers programs of this machine only: the host must be"
                                    + " localhost or a loopback address; otherwise use tokens, or"
                                    + " serving.auth: none")
                    .asException();
        }
    }

    private static @Nullable String tokenOf(HttpServerRequest request) {
        String header = request.getHeader("Authorization");
        if (header != null && header.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return header.substring(BEARER.length()).strip();
        }
        return request.getHeader(SUBSCRIPTION_KEY);
    }
}
