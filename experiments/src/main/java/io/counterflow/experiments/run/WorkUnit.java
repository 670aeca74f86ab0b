package io.counterflow.experiments.run;

import io.counterflow.core.numeric.Require;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongConsumer;

/**
 * Work that is done completely or not at all. It does not depend on other units of its round.
 *
 * @param keys keys of the results, at least one
 * @param examples number of examples that it processes, including repetitions: its cost
 * @param work computes the results, one per key. Calls its argument with the number of examples as
 *     they are processed
 */
public record WorkUnit(
        List<UnitKey> keys, long examples, Function<LongConsumer, List<Measured>> work) {

    public WorkUnit {
        keys = List.copyOf(keys);
        Require.atLeast(1, keys.size(), "keys");
        Require.atLeast(0, examples, "examples");
    }

    /** A unit with a single result. */
    public static WorkUnit of(UnitKey key, long examples, Function<LongConsumer, Measured> work) {
        return new WorkUnit(List.of(key), examples, steps -> List.of(work.apply(steps)));
    }
}
