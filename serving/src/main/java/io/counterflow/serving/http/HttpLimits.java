package io.counterflow.serving.http;

import io.counterflow.core.numeric.Require;
import java.time.Duration;

/**
 * Limits on connections and requests.
 *
 * @param largeBodiesBytes memory for all bodies that are larger than {@link #LARGE_BODY}
 * @param requestsPerSecond limit on the requests of one client, which is also the limit on a burst;
 *     0 for no limit
 * @param requests how many requests of each scope may be in progress
 * @param connections how many connections may be open
 * @param headTimeout how long the first request of a connection may take to arrive
 * @param idleTimeout how long each later request may take to arrive, from the answer before it
 * @param bodyTimeout how long a body may take to arrive
 */
public record HttpLimits(
        int maxBodyBytes,
        long largeBodiesBytes,
        int requestsPerSecond,
        int requests,
        ClientLimits connections,
        Duration headTimeout,
        Duration idleTimeout,
        Duration bodyTimeout) {

    /** A larger body needs memory of its own, and is parsed by a worker. */
    static final int LARGE_BODY = 64 << 10;

    public HttpLimits {
        Require.atLeast(1, maxBodyBytes, "maxBodyBytes");
        Require.atLeast(0, requestsPerSecond, "requestsPerSecond");
        Require.atLeast(1, requests, "requests");
    }
}
