package io.counterflow.client;

import io.counterflow.core.numeric.Require;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * How to reach a server.
 *
 * @param server its address, such as {@code https://decisions.example.org}
 * @param token the bearer token; empty for a server without tokens
 * @param requestTimeout timeout of a reply; a server gives up a reward after 10 seconds
 * @param retries of rewards, activations and rollout commands
 * @param rankRetries of decisions
 * @param trust checks the server's certificate; empty for the JVM's default
 */
public record ClientSettings(
        URI server,
        Optional<String> token,
        Duration connectTimeout,
        Duration requestTimeout,
        Retries retries,
        Retries rankRetries,
        Optional<SSLContext> trust) {

    public ClientSettings {
        boolean web = "http".equals(server.getScheme()) || "https".equals(server.getScheme());
        if (!web || server.getHost() == null) {
            throw new IllegalArgumentException(
                    "server must be like http://host:port, got " + server);
        }
        Require.that(token.isEmpty() || !token.get().isBlank(), "token must not be blank");
        Require.aboveZero(connectTimeout, "connectTimeout");
        Require.aboveZero(requestTimeout, "requestTimeout");
    }

    /** A server without tokens, with default timeouts and retries. */
    public static ClientSettings of(URI server) {
        return new ClientSettings(
                server,
                Optional.empty(),
                Duration.ofSeconds(2),
                Duration.ofSeconds(12),
                Retries.defaults(),
                Retries.ofDecisions(),
                Optional.empty());
    }

    public ClientSettings withToken(String newToken) {
        return new ClientSettings(
                server,
                Optional.of(newToken),
                connectTimeout,
                requestTimeout,
                retries,
                rankRetries,
                trust);
    }

    public ClientSettings withTimeouts(Duration connect, Duration request) {
        return new ClientSettings(server, token, connect, request, retries, rankRetries, trust);
    }

    /** A copy with other retries of rewards, activations and rollout commands. */
    public ClientSettings withRetries(Retries newRetries) {
        return new ClientSettings(
                server, token, connectTimeout, requestTimeout, newRetries, rankRetries, trust);
    }

    /** A copy with other retries of decisions. */
    public ClientSettings withRankRetries(Retries newRetries) {
        return new ClientSettings(
                server, token, connectTimeout, requestTimeout, retries, newRetries, trust);
    }

    /** A copy that trusts other certificates, such as self-signed ones. */
    public ClientSettings withTrust(SSLContext newTrust) {
        return new ClientSettings(
                server,
                token,
                connectTimeout,
                requestTimeout,
                retries,
                rankRetries,
                Optional.of(newTrust));
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "ClientSettings[%s, %s]".formatted(server, token.isPresent() ? "token" : "open");
    }
}
