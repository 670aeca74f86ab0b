package io.counterflow.serving.diagnosis;

import io.counterflow.core.numeric.Require;
import java.time.Instant;
import java.util.Optional;

/**
 * The count of one kind of record.
 *
 * @param recent the number within {@link RecentCount#SPAN}
 * @param perSecond the recent rate
 * @param last the time of the last record; empty if there was none
 * @param since the time of the first record after the last long pause; empty if there was none
 */
public record FlowCount(
        long recent, double perSecond, Optional<Instant> last, Optional<Instant> since) {

    private static final FlowCount NONE = new FlowCount(0, 0.0, Optional.empty(), Optional.empty());

    public FlowCount {
        Require.atLeast(0, recent, "recent");
        Require.atLeastZero(perSecond, "perSecond");
    }

    public static FlowCount none() {
        return NONE;
    }

    /** Whether there were records within the span. */
    public boolean flows() {
        return recent > 0;
    }
}
