package io.counterflow.serving.http;

import io.counterflow.core.numeric.Require;

/**
 * Limits on something that clients hold.
 *
 * @param total for all clients together
 * @param perClient for each client
 */
public record ClientLimits(int total, int perClient) {

    public ClientLimits {
        Require.atLeast(1, total, "total");
        Require.atLeast(1, perClient, "perClient");
    }
}
