package io.counterflow.serving.http;

import io.counterflow.core.numeric.Require;

/**
 * What a request may cost.
 *
 * @param maxBodyBytes largest body
 * @param requestsPerSecond most requests per second of one client, with bursts of as many; 0 for no
 *     limit
 */
public record HttpLimits(int maxBodyBytes, int requestsPerSecond) {

    public HttpLimits {
        Require.atLeast(1, maxBodyBytes, "maxBodyBytes");
        Require.atLeast(0, requestsPerSecond, "requestsPerSecond");
    }
}
