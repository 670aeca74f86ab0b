package io.counterflow.core.rollout;

import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Require;

/** Which events a canary decides. */
public final class CanaryShare {

    /**
     * Sets this draw apart from those that choose the event's action: if both came from the same
     * random numbers, the events of a canary would have actions of their own.
     */
    private static final String PREFIX = "canary/";

    private CanaryShare() {}

    /**
     * Whether the canary decides an event: a function of the event id alone. A larger share keeps
     * the events of a smaller one and takes more.
     *
     * @param share in [0, 1]
     */
    public static boolean decidesCanary(String eventId, double share) {
        Require.share(share, "share");
        return EventRandom.of(PREFIX + eventId).nextDouble() < share;
    }
}
