package io.counterflow.serving.http;

import io.counterflow.core.numeric.Require;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The hosts that requests may name. A page of another site cannot read answers, but its name may
 * resolve to this machine, and then browsers take this server for that site. The name is in the
 * request, so it is checked.
 *
 * <p>An origin other than the host of the request is always refused: it is the page of another
 * site.
 */
public final class AllowedHosts {

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9._-]*[a-z0-9])?");
    private static final Pattern LOOPBACK =
            Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[?::1]?");
    private static final Pattern ADDRESS =
            Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[?[0-9a-f.:]*:[0-9a-f.:]*]?");
    private static final Set<String> ALL_INTERFACES = Set.of("0.0.0.0", "::", "[::]");

    private final boolean any;
    private final boolean anyAddress;
    private final Set<String> names;

    private AllowedHosts(boolean any, boolean anyAddress, Set<String> names) {
        this.any = any;
        this.anyAddress = anyAddress;
        this.names = names;
    }

    /** Every host. */
    public static AllowedHosts any() {
        return new AllowedHosts(true, true, Set.of());
    }

    /**
     * Loopback names and addresses, the address that the server listens on, and further names. If
     * the server listens on all addresses, every address may be its own; addresses need no names,
     * so other sites cannot claim them.
     */
    public static AllowedHosts of(String listening, Collection<String> further) {
        Set<String> names = new TreeSet<>(List.of(listening.toLowerCase(Locale.ROOT)));
        for (String name : further) {
            String host = name.toLowerCase(Locale.ROOT);
            Require.that(
                    NAME.matcher(host).matches() || ADDRESS.matcher(host).matches(),
                    "serving.allowed-hosts must be host names without scheme and port, got %s",
                    name);
            names.add(host);
        }
        return new AllowedHosts(false, ALL_INTERFACES.contains(listening), names);
    }

    /** Refuses a request that names another host, or that comes from the page of another site. */
    void require(HttpServerRequest request) {
        HostAndPort authority = request.authority(); // Host, or :authority of HTTP/2
        if (!any && (authority == null || !isAllowed(authority.host().toLowerCase(Locale.ROOT)))) {
            throw new ProblemException(
                    403,
                    "host-not-allowed",
                    "the host of the request must be a loopback address, serving.host, or one of"
                            + " serving.allowed-hosts");
        }
        String origin = request.getHeader("Origin");
        if (origin != null
                && (authority == null
                        || !origin.replaceFirst("^https?://", "")
                                .equalsIgnoreCase(authority.toString()))) {
            throw new ProblemException(
                    403,
                    "cross-origin",
                    "the origin must be the host of the request; pages of other sites cannot call"
                            + " this server");
        }
    }

    private boolean isAllowed(String host) {
        return LOOPBACK.matcher(host).matches()
                || names.contains(host)
                || (anyAddress && ADDRESS.matcher(host).matches());
    }
}
