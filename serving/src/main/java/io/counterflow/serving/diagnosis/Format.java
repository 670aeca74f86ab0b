package io.counterflow.serving.diagnosis;

import java.time.Duration;
import java.util.Locale;

/** Formats numbers and durations for sentences. */
final class Format {

    private Format() {}

    static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    static String time(Duration duration) {
        long seconds = Math.max(0, duration.toSeconds());
        if (seconds < 120) {
            return seconds + " s";
        }
        if (seconds < 2 * 3_600) {
            return seconds / 60 + " min";
        }
        return seconds < 2 * 86_400 ? seconds / 3_600 + " h" : seconds / 86_400 + " days";
    }
}
