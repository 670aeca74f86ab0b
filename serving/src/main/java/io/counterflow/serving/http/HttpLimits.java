package io.counterflow.serving.http;

import io.counterflow.core.numeric.Require;

/**
 * Limits on requests.
 *
 * @param requestsPerSecond limit on the requests of one client, which is also the limit on a burst;
 *     0 for no limit
 */
public record HttpLimits(int maxBodyBytes, int requestsPerSecond) {

    public HttpLimits {
        Require.atLeast(1, maxBodyBytes, "maxBodyBytes");
        Require.atLeast(0, requestsPerSecond, "requestsPerSecond");
    }
}
