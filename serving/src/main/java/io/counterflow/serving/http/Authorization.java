package io.counterflow.serving.http;

import io.counterflow.core.text.JsonName;
import io.counterflow.serving.auth.Caller;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.auth.Tokens;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks the tokens of callers. A server without tokens accepts all callers. */
public final class Authorization {

    private static final Pattern LOOPBACK =
            Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[?::1]?");
    private static final String BEARER = "Bearer ";

    /** The header in which clients of Azure Personalizer send a key. */
    private static final String SUBSCRIPTION_KEY = "Ocp-Apim-Subscription-Key";

    private final Optional<Tokens> tokens;
    private final boolean loopbackOnly;

    /**
     * @param tokens the tokens; empty for a server without tokens
     * @param loopbackOnly whether only programs on this machine may call: then pages of other sites
     *     are refused, because a name of theirs may resolve to this machine
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
        return caller;
    }

    private static void requireLocal(HttpServerRequest request) {
        HostAndPort authority = request.authority(); // Host, or :authority of HTTP/2
        String host = authority == null ? "" : authority.host();
        String origin = request.getHeader("Origin");
        boolean ownPage =
                origin == null
                        || origin.replaceFirst("^https?://", "").equals(String.valueOf(authority));
        if (!LOOPBACK.matcher(host).matches() || !ownPage) {
            throw new ProblemException(
                    403,
                    "not-local",
                    "a server without tokens accepts calls from this machine only: the host"
                            + " must be localhost or a loopback address; otherwise use"
                            + " tokens, or serving.auth: none");
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
