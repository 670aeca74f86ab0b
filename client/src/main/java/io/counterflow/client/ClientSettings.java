package io.counterflow.client;

import io.counterflow.core.numeric.Require;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * How a server is reached.
 *
 * @param server where it is, such as {@code https://decisions.example.org}
 * @param token what is sent as bearer token; empty for a server that is open
 * @param connectTimeout how long a connection may take
 * @param requestTimeout how long one answer may take; a server gives up a reward after 10 seconds
 * @param retries how often rewards and activations are sent
 * @param trust what the server's certificate is checked by; empty for the JVM's own trust
 */
public record ClientSettings(
        URI server,
        Optional<String> token,
        Duration connectTimeout,
        Duration requestTimeout,
        Retries retries,
        Optional<SSLContext> trust) {

    public ClientSettings {
        boolean web = "http".equals(server.getScheme()) || "https".equals(server.getScheme());
        if (!web || server.getHost() == null) {
            throw new IllegalArgumentException(
                    "server must be like http://host:port, got " + server);
        }
        if (token.isPresent() && token.get().isBlank()) {
            throw new IllegalArgumentException("token must not be blank");
        }
        Require.aboveZero(connectTimeout, "connectTimeout");
        Require.aboveZero(requestTimeout, "requestTimeout");
    }

    /** An open server, with the usual patience. */
    public static ClientSettings of(URI server) {
        return new ClientSettings(
                server,
                Optional.empty(),
                Duration.ofSeconds(2),
                Duration.ofSeconds(12),
                Retries.defaults(),
                Optional.empty());
    }

    /** The same with a token. */
    public ClientSettings withToken(String newToken) {
        return new ClientSettings(
                server, Optional.of(newToken), connectTimeout, requestTimeout, retries, trust);
    }

    /** The same with other limits of time. */
    public ClientSettings withTimeouts(Duration connect, Duration request) {
        return new ClientSettings(server, token, connect, request, retries, trust);
    }

    /** The same with other patience for rewards and activations. */
    public ClientSettings withRetries(Retries newRetries) {
        return new ClientSettings(server, token, connectTimeout, requestTimeout, newRetries, trust);
    }

    /** The same with a trust of its own, for certificates that no authority has signed. */
    public ClientSettings withTrust(SSLContext newTrust) {
        return new ClientSettings(
                server, token, connectTimeout, requestTimeout, retries, Optional.of(newTrust));
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "ClientSettings[%s, %s]".formatted(server, token.isPresent() ? "token" : "open");
    }
}
