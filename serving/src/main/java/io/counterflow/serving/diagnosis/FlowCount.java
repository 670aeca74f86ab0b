package io.counterflow.serving.diagnosis;

import io.counterflow.core.numeric.Require;
import java.time.Instant;
import java.util.Optional;

/**
 * How much of something came.
 *
 * @param recent how many within {@link RecentCount#SPAN}
 * @param perSecond how many per second lately
 * @param last when the last one came; empty when none did
 * @param since when the first one came after the last long pause; empty when none did
 */
public record FlowCount(
        long recent, double perSecond, Optional<Instant> last, Optional<Instant> since) {

    private static final FlowCount NONE = new FlowCount(0, 0.0, Optional.empty(), Optional.empty());

    public FlowCount {
        Require.atLeast(0, recent, "recent");
        Require.atLeastZero(perSecond, "perSecond");
    }

    /** Nothing came. */
    public static FlowCount none() {
        return NONE;
    }

    /** Whether anything came within the span. */
    public boolean flows() {
        return recent > 0;
    }
}
