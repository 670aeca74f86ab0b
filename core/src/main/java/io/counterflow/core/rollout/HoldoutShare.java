package io.counterflow.core.rollout;

import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Require;

/** Selects the events of the holdout, which the baseline version decides. */
public final class HoldoutShare {

    private HoldoutShare() {}

    /**
     * Whether an event is in the holdout: a function of loop and event id alone. A larger share
     * contains the events of a smaller one.
     *
     * @param share in [0, 1]
     */
    public static boolean contains(String loop, String eventId, double share) {
        Require.share(share, "share");
        return share > 0.0 && EventRandom.ofHoldout(loop, eventId).nextDouble() < share;
    }
}
