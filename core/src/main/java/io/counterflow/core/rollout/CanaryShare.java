package io.counterflow.core.rollout;

import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Require;

/** Selects the events that a canary decides. */
public final class CanaryShare {

    private CanaryShare() {}

    /**
     * Whether the canary decides an event: a function of loop and event id alone. A larger share
     * contains the events of a smaller one.
     *
     * @param share in [0, 1]
     */
    public static boolean decidesCanary(String loop, String eventId, double share) {
        Require.share(share, "share");
        return EventRandom.ofCanary(loop, eventId).nextDouble() < share;
    }
}
