package io.counterflow.serving.diagnosis;

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
        if (recent < 0) {
            throw new IllegalArgumentException("recent must be at least 0, got " + recent);
        }
        if (!(perSecond >= 0.0)) {
            throw new IllegalArgumentException("perSecond must be at least 0, got " + perSecond);
        }
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
