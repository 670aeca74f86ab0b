package io.counterflow.flink.windows;

import io.counterflow.core.text.DurationText;
import java.io.Serializable;
import java.time.Duration;

/**
 * Which windows of event time are estimated. They begin at whole multiples of the slide since 1970
 * and overlap where the size is above it.
 *
 * <p>A window is put together from panes as long as the slide, so that an example is added once,
 * however many windows it is in. State grows with the number of panes, size over slide.
 *
 * @param size how long a window is. Longer: narrower intervals, later alarms
 * @param slide how often one ends. Shorter: more panes, more output
 */
public record WindowConfig(Duration size, Duration slide) implements Serializable {

    /** Most panes of a window. */
    public static final int MAX_PANES = 1_000;

    public WindowConfig {
        requireWholeMs("size", size);
        requireWholeMs("slide", slide);
        long sizeMs = size.toMillis();
        long slideMs = slide.toMillis();
        if (sizeMs % slideMs != 0 || sizeMs / slideMs > MAX_PANES) {
            throw new IllegalArgumentException(
                    "size must be 1 to %d times the slide %s, got %s"
                            .formatted(
                                    MAX_PANES,
                                    DurationText.format(slide),
                                    DurationText.format(size)));
        }
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

    /** Five minutes, every minute. */
    public static WindowConfig defaults() {
        return new WindowConfig(Duration.ofMinutes(5), Duration.ofMinutes(1));
    }
}
