package io.counterflow.serving.stats;

import java.util.Optional;

/** What a simulation knows of a loop, and real traffic never tells. */
@FunctionalInterface
public interface Truth {

    /** The true values of a loop's policies; empty where nobody knows them. */
    Optional<TrueValues> of(String loop);

    /** Of real traffic. */
    static Truth unknown() {
        return loop -> Optional.empty();
    }
}
