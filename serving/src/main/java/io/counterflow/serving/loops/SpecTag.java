package io.counterflow.serving.loops;

import io.counterflow.core.spec.LoopSpec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The entity tag of a loop. It changes with each spec, and not with the loop's policies. */
final class SpecTag {

    private SpecTag() {}

    /** The versions of a loop that was deleted and created again repeat, but their times do not. */
    static String of(LoopSpec spec) {
        return "\"%d-%x\""
                .formatted(spec.version(), ChronoUnit.MICROS.between(Instant.EPOCH, spec.time()));
    }
}
