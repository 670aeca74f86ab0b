package io.counterflow.cli;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 30s}, {@code 250ms}, {@code 1h30m} or {@code 2d}, and ISO-8601 such as PT3M. */
public final class DurationConverter implements ITypeConverter<Duration> {

    private static final Pattern SHORT =
            Pattern.compile("(?:(\\d+)d)?(?:(\\d+)h)?(?:(\\d+)m)?(?:(\\d+)s)?(?:(\\d+)ms)?");

    @Override
    public Duration convert(String value) {
        try {
            String lower = value.strip().toLowerCase(Locale.ROOT);
            Matcher matcher = SHORT.matcher(lower);
            Duration duration =
                    !lower.isEmpty() && matcher.matches()
                            ? Duration.ofDays(part(matcher, 1))
                                    .plusHours(part(matcher, 2))
                                    .plusMinutes(part(matcher, 3))
                                    .plusSeconds(part(matcher, 4))
                                    .plusMillis(part(matcher, 5))
                            : Duration.parse(lower);
            if (duration.isNegative()) {
                throw refusal(value);
            }
            return duration;
        } catch (DateTimeParseException | ArithmeticException | NumberFormatException e) {
            throw refusal(value);
        }
    }

    private static long part(Matcher matcher, int group) {
        String digits = matcher.group(group);
        return digits == null ? 0 : Long.parseLong(digits);
    }

    private static TypeConversionException refusal(String value) {
        return new TypeConversionException(
                "must be a duration such as 30s, 3m, 1h30m or PT3M, got \"" + value + '"');
    }
}
