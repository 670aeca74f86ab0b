package io.counterflow.schemas.registry;

import io.counterflow.core.numeric.Require;
import java.io.Serializable;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How to reach a schema registry.
 *
 * @param url where its API begins, such as {@code http://localhost:8081}
 * @param credentials user and password with a colon between them; null if it needs none. Not part
 *     of {@link #toString}
 */
public record RegistryAddress(URI url, @Nullable String credentials) implements Serializable {

    private static final String RULE =
            "schemas.registry-url must be like http://host:port/path, got something else";

    public RegistryAddress {
        String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
        Require.that(
                (scheme.equals("http") || scheme.equals("https"))
                        && url.getHost() != null
                        && url.getUserInfo() == null
                        && url.getQuery() == null
                        && url.getFragment() == null,
                RULE);
        Require.that(
                credentials == null || credentials.indexOf(':') > 0,
                "schemas.registry-credentials must be user:password, got something else");
    }

    /**
     * Reads an address.
     *
     * @throws IllegalArgumentException if it is invalid; the message does not quote it, because it
     *     may hold a password
     */
    public static RegistryAddress parse(String url, @Nullable String credentials) {
        try {
            return new RegistryAddress(new URI(url), credentials);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(RULE); // without its cause, which quotes the URL
        }
    }

    /** The address of a path below it. */
    URI resolve(String path) {
        String base = url.toString();
        return URI.create(base.endsWith("/") ? base + path : base + "/" + path);
    }

    @Override
    public String toString() {
        return url.toString();
    }
}
