package io.counterflow.flink.windows;

import java.io.Serializable;
import java.time.Duration;

/**
 * How long windows are, and how often one begins.
 *
 * @param size how much event time a window covers
 * @param slide how much later the next one begins
 */
public record WindowConfig(Duration size, Duration slide) implements Serializable {

    public WindowConfig {
        if (size.isNegative() || size.isZero()) {
            throw new IllegalArgumentException("size must be above zero, got " + size);
        }
        if (slide.isNegative() || slide.isZero()) {
            throw new IllegalArgumentException("slide must be above zero, got " + slide);
        }
    }

    /** A minute, one after the other. */
    public static WindowConfig defaults() {
        return new WindowConfig(Duration.ofMinutes(1), Duration.ofMinutes(1));
    }
}
