package io.counterflow.schemas.json;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as {@code 250ms}, {@code 30s}, {@code 1h30m}, {@code 2d} or in ISO-8601. */
final class JsonDuration {

    private static final Pattern SHORT =
            Pattern.compile("(?:(\\d+)d)?(?:(\\d+)h)?(?:(\\d+)m)?(?:(\\d+)s)?(?:(\\d+)ms)?");
    private static final int SHOWN = 40;

    private JsonDuration() {}

    static Duration parse(String field, String text) {
        try {
            Matcher parts = SHORT.matcher(text);
            if (text.isEmpty() || !parts.matches()) {
                return Duration.parse(text);
            }
            return Duration.ofDays(part(parts, 1))
                    .plusHours(part(parts, 2))
                    .plusMinutes(part(parts, 3))
                    .plusSeconds(part(parts, 4))
                    .plusMillis(part(parts, 5));
        } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
            throw new InvalidJsonException(
                    field,
                    "must be a duration like 30s or, in ISO-8601, PT30M, got \"%s\""
                            .formatted(text.substring(0, Math.min(SHOWN, text.length()))));
        }
    }

    /** The same in milliseconds; what has a fraction of one is refused. */
    static long parseMillis(String field, String text) {
        Duration duration = parse(field, text);
        try {
            long millis = duration.toMillis();
            if (Duration.ofMillis(millis).equals(duration)) {
                return millis;
            }
        } catch (ArithmeticException e) {
            throw new InvalidJsonException(field, "must be a shorter duration, got " + duration);
        }
        throw new InvalidJsonException(field, "must be whole milliseconds, got " + duration);
    }

    private static long part(Matcher parts, int group) {
        String digits = parts.group(group); // null where the text has no such part
        return digits == null ? 0 : Long.parseLong(digits);
    }
}
