package io.counterflow.core.log;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Times with the precision of records and JSON: microseconds, in years of four digits. */
public final class EventTime {

    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

    private EventTime() {}

    /** Returns the time, truncated to microseconds. Refuses other years. */
    public static Instant require(String field, Instant time) {
        Instant kept = time.truncatedTo(ChronoUnit.MICROS);
        if (kept.isBefore(EARLIEST) || kept.isAfter(LATEST)) {
            throw new IllegalArgumentException(
                    field + " must be in the years 1 to 9999, got " + time);
        }
        return kept;
    }
}
