package io.counterflow.cli.evaluate;

import io.counterflow.core.features.Features;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import java.util.Arrays;

/** A policy to evaluate on the examples of a log. */
interface Target {

    /** Its name on the command line. */
    String name();

    /**
     * Whether the probabilities of all actions are known, and not only those of the logged ones.
     */
    default boolean isComplete() {
        return true;
    }

    /**
     * Computes π(a|x) of every action a of an example; 0 for actions that are not allowed. Of an
     * incomplete target only the entry of the logged action is valid.
     *
     * @param example position in the log
     * @param probabilities one entry per action, or longer. The first entries are overwritten.
     */
    void probabilities(int example, double[] probabilities);

    /** A model. */
    static Target of(String name, Policy policy, ExampleLog log) {
        return new Simple(
                name,
                (i, probabilities) ->
                        policy.probabilities(log.features(i), log.allowed(i), probabilities));
    }

    /** Every allowed action with the same probability. */
    static Target uniform(String name, LinearModel shape, ExampleLog log) {
        return of(name, Policy.uniform(shape), log);
    }

    /** Always the first allowed action. */
    static Target first(String name, LinearModel shape, ExampleLog log) {
        return new Simple(
                name,
                (i, probabilities) -> {
                    Features x = log.features(i);
                    Arrays.fill(probabilities, 0, shape.actionCount(x), 0.0);
                    int first = 0;
                    while (!log.allowed(i).contains(first)) {
                        first++;
                    }
                    probabilities[first] = 1.0;
                });
    }

    /** Computes the probabilities of an example. */
    @FunctionalInterface
    interface Probabilities {
        void fill(int example, double[] probabilities);
    }

    /** A complete target. */
    record Simple(String name, Probabilities all) implements Target {
        @Override
        public void probabilities(int example, double[] probabilities) {
            all.fill(example, probabilities);
        }
    }
}
