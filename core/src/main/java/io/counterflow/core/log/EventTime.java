package io.counterflow.core.log;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Times as records and JSON keep them: to the microsecond, in years of four digits. */
public final class EventTime {

    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

    private EventTime() {}

    /** Refuses any other time; truncates what it is given to microseconds. */
    public static Instant require(String field, Instant time) {
        Instant kept = time.truncatedTo(ChronoUnit.MICROS);
        if (kept.isBefore(EARLIEST) || kept.isAfter(LATEST)) {
            throw new IllegalArgumentException(
                    field + " must be in the years 1 to 9999, got " + time);
        }
        return kept;
    }
}
