package io.counterflow.serving.http;

/**
 * What a request may cost.
 *
 * @param maxBodyBytes largest body
 * @param requestsPerSecond most requests per second of one client, with bursts of as many; 0 for no
 *     limit
 */
public record HttpLimits(int maxBodyBytes, int requestsPerSecond) {

    public HttpLimits {
        if (maxBodyBytes < 1) {
            throw new IllegalArgumentException(
                    "maxBodyBytes must be at least 1, got " + maxBodyBytes);
        }
        if (requestsPerSecond < 0) {
            throw new IllegalArgumentException(
                    "requestsPerSecond must be at least 0, got " + requestsPerSecond);
        }
    }
}
