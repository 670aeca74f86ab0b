package io.counterflow.cli.exports;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The decisions to export.
 *
 * @param loop their loop; empty for all loops
 * @param from the earliest time
 * @param to the time before which they were taken
 */
record Selection(Optional<String> loop, Instant from, Instant to) {

    boolean includes(String ofLoop, Instant time) {
        return isOf(ofLoop) && !time.isBefore(from) && time.isBefore(to);
    }

    boolean isOf(String ofLoop) {
        return loop.isEmpty() || loop.get().equals(ofLoop);
    }

    /** Reads a time, or the day that starts then in UTC. */
    static final class TimeConverter implements ITypeConverter<Instant> {
        @Override
        public Instant convert(String text) {
            try {
                return text.indexOf('T') < 0
                        ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
                        : OffsetDateTime.parse(text).toInstant();
            } catch (DateTimeException e) {
                throw new TypeConversionException(
                        "must be a day like 2026-01-31 or a time like 2026-01-31T12:00:00Z, got \""
                                + text
                                + '"');
            }
        }
    }
}
