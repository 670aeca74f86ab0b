package io.counterflow.experiments.run;

import io.counterflow.core.numeric.Require;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Work that is done whole or not at all, and depends on no other unit of its round.
 *
 * @param keys of the results, at least one
 * @param examples how many examples it steps on, repetitions counted: its cost
 * @param work finds the results, one for each key
 */
public record WorkUnit(List<UnitKey> keys, long examples, Work work) {

    public WorkUnit {
        keys = List.copyOf(keys);
        Require.atLeast(1, keys.size(), "keys");
        Require.atLeast(0, examples, "examples");
    }

    /** A unit with a single result. */
    public static WorkUnit of(UnitKey key, long examples, SingleWork work) {
        return new WorkUnit(List.of(key), examples, steps -> List.of(work.measure(steps)));
    }

    /** What a unit does. */
    @FunctionalInterface
    public interface Work {
        /**
         * Finds the results.
         *
         * @param steps told of examples as they are stepped on
         */
        List<Measured> measure(LongConsumer steps);
    }

    /** What a unit with a single result does. */
    @FunctionalInterface
    public interface SingleWork {
        Measured measure(LongConsumer steps);
    }
}
