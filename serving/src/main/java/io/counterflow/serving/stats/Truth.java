package io.counterflow.serving.stats;

import java.util.Optional;

/** The true values of policies, which only a simulation knows. */
@FunctionalInterface
public interface Truth {

    /** The true values of a loop's policies; empty if they are unknown. */
    Optional<TrueValues> of(String loop);

    /** For real traffic. */
    static Truth unknown() {
        return loop -> Optional.empty();
    }
}
