package io.counterflow.serving.loops;

import io.counterflow.core.spec.LoopSpec;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** The time of a new spec. */
final class SpecTime {

    private SpecTime() {}

    /** Later than the previous spec, even if the clocks of two processes differ. */
    static Instant after(Optional<LoopSpec> before, Clock clock) {
        Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        return before.map(spec -> spec.time().plus(1, ChronoUnit.MICROS))
                .filter(now::isBefore)
                .orElse(now);
    }
}
