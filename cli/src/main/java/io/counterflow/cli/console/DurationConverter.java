package io.counterflow.cli.console;

import io.counterflow.core.text.DurationText;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads durations as {@link DurationText} does, in either case. */
public final class DurationConverter implements ITypeConverter<Duration> {

    @Override
    public Duration convert(String value) {
        try {
            Duration duration = DurationText.parse(value.strip().toLowerCase(Locale.ROOT));
            if (!duration.isNegative()) {
                return duration;
            }
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(
                    "must be a duration like 30s, 10m or 1h30m, got \"" + value + '"');
        }
        throw new TypeConversionException("must not be negative, got \"" + value + '"');
    }
}
