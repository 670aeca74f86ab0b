package io.counterflow.flink.windows;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.text.DurationText;
import java.io.Serializable;
import java.time.Duration;

/**
 * Length and slide of the windows. Windows start at multiples of the slide since 1970 and overlap
 * if the size is larger than the slide.
 *
 * <p>A window is merged from panes as long as the slide, so that an example is added only once. The
 * state grows with the number of panes, size divided by slide.
 *
 * @param size length of a window. A longer window gives narrower intervals and later alarms
 * @param slide time between the starts of two windows. A shorter slide gives more panes and more
 *     output
 */
public record WindowConfig(Duration size, Duration slide) implements Serializable {

    /** Maximum number of panes of a window. */
    public static final int MAX_PANES = 1_000;

    public WindowConfig {
        requireWholeMs("size", size);
        requireWholeMs("slide", slide);
        long sizeMs = size.toMillis();
        long slideMs = slide.toMillis();
        Require.that(
                sizeMs % slideMs == 0 && sizeMs / slideMs <= MAX_PANES,
                "size must be 1 to %d times the slide %s, got %s",
                MAX_PANES,
                DurationText.format(slide),
                DurationText.format(size));
    }

    private static void requireWholeMs(String name, Duration value) {
        if (value.isNegative()
                || value.isZero()
                || value.toNanosPart() % 1_000_000 != 0
                || value.compareTo(Duration.ofDays(3_650)) > 0) { // so that no sum overflows
            throw new IllegalArgumentException(
                    name + " must be whole milliseconds, at most ten years, got " + value);
        }
    }
}
