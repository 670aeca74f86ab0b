package io.counterflow.core.text;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text form of durations: {@code 250ms}, {@code 30s}, {@code 10m}, {@code 1h30m}, {@code 2d}.
 * ISO-8601 is accepted but never written.
 */
public final class DurationText {

    private static final Pattern SHORT =
            Pattern.compile("(?:(\\d+)d)?(?:(\\d+)h)?(?:(\\d+)m)?(?:(\\d+)s)?(?:(\\d+)ms)?");
    private static final int SHOWN = 40;

    private DurationText() {}

    /**
     * Reads a duration.
     *
     * @throws IllegalArgumentException if the text is not a duration
     */
    public static Duration parse(String text) {
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
            throw new IllegalArgumentException(
                    "must be a duration like 30s, 10m or 1h30m, got \"%s\""
                            .formatted(text.substring(0, Math.min(SHOWN, text.length()))),
                    e);
        }
    }

    private static long part(Matcher parts, int group) {
        String digits = parts.group(group); // null if the text has no such part
        return digits == null ? 0 : Long.parseLong(digits);
    }

    /** Writes a duration, to the millisecond. */
    public static String format(Duration duration) {
        if (duration.isNegative()) {
            return "-" + format(duration.negated());
        }
        StringBuilder text = new StringBuilder();
        append(text, duration.toDays(), "d");
        append(text, duration.toHoursPart(), "h");
        append(text, duration.toMinutesPart(), "m");
        append(text, duration.toSecondsPart(), "s");
        append(text, duration.toMillisPart(), "ms");
        return text.isEmpty() ? "0s" : text.toString();
    }

    private static void append(StringBuilder text, long amount, String unit) {
        if (amount > 0) {
            text.append(amount).append(unit);
        }
    }
}
