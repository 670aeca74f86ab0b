package io.counterflow.cli.traffic;

import io.counterflow.core.spec.LoopName;
import java.net.URI;
import java.util.Optional;

/**
 * Which simulated users come, and where.
 *
 * @param server where serving listens, such as {@code http://localhost:8080}
 * @param loop the loop that serves them
 * @param token what serving lets them in by; needs the scopes admin, rank and reward
 * @param perSecond how many come, at most
 * @param seed of the users
 */
public record TrafficSettings(
        URI server, String loop, Optional<String> token, double perSecond, long seed) {

    private static final double MAX_PER_SECOND = 10_000.0;

    /** The loop of the demo. */
    public static final String DEFAULT_LOOP = NewsWorld.LOOP;

    public TrafficSettings {
        boolean http = "http".equals(server.getScheme()) || "https".equals(server.getScheme());
        String path = server.getPath();
        if (!http || server.getHost() == null || !(path.isEmpty() || path.equals("/"))) {
            throw new IllegalArgumentException(
                    "url must be http:// or https:// with a host and no path, got \""
                            + server
                            + '"');
        }
        LoopName.require(loop);
        if (!(perSecond > 0.0 && perSecond <= MAX_PER_SECOND)) {
            throw new IllegalArgumentException(
                    "rate must be in (0, %.0f], got %s".formatted(MAX_PER_SECOND, perSecond));
        }
    }

    /** Not the token. */
    @Override
    public String toString() {
        return "TrafficSettings[%s, %s, %s per second, seed %d]"
                .formatted(server, loop, perSecond, seed);
    }
}
