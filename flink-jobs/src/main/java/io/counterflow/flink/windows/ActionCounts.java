package io.counterflow.flink.windows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * How often each action was chosen, and the expected number: the sum of its logged probabilities.
 * Actions are identified by position, because not all loops name them.
 *
 * <p>If the number of actions varies, both lists are as long as the largest number so far. An
 * action that an example did not have counts as not chosen, with probability 0. The expected
 * numbers exist only if every example has a logged distribution. An example with more than {@value
 * #MAX_ACTIONS} actions ends both counts.
 */
final class ActionCounts {

    static final int MAX_ACTIONS = 100;

    private boolean countable = true;
    private boolean expectable = true;
    private long[] chosen = {};
    private double[] expected = {};

    /** Stored counts; empty if counting has ended. */
    static ActionCounts restore(Optional<List<Long>> chosen, Optional<List<Double>> expected) {
        ActionCounts restored = new ActionCounts();
        restored.countable = chosen.isPresent();
        restored.expectable = expected.isPresent();
        restored.chosen = chosen.orElse(List.of()).stream().mapToLong(Long::longValue).toArray();
        restored.expected =
                expected.orElse(List.of()).stream().mapToDouble(Double::doubleValue).toArray();
        return restored;
    }

    /**
     * Adds one example.
     *
     * @param distribution the logged probability of every action; ignored if it has another length
     */
    void add(int action, int actions, List<Double> distribution) {
        if (!countable) {
            return;
        }
        if (actions > MAX_ACTIONS) {
            endCounting();
            return;
        }
        growTo(actions);
        chosen[action]++;
        if (distribution.size() != actions) {
            endExpecting();
        } else if (expectable) {
            for (int k = 0; k < actions; k++) {
                expected[k] += distribution.get(k);
            }
        }
    }

    private void endCounting() {
        countable = false;
        chosen = new long[0];
        endExpecting();
    }

    private void endExpecting() {
        expectable = false;
        expected = new double[0];
    }

    private void growTo(int actions) {
        if (chosen.length < actions) {
            chosen = Arrays.copyOf(chosen, actions);
        }
        if (expectable && expected.length < actions) {
            expected = Arrays.copyOf(expected, actions);
        }
    }

    void merge(ActionCounts later) {
        if (!later.countable || !countable) {
            endCounting();
            return;
        }
        if (!later.expectable) {
            endExpecting();
        }
        growTo(later.chosen.length);
        for (int k = 0; k < later.chosen.length; k++) {
            chosen[k] += later.chosen[k];
        }
        if (expectable) {
            for (int k = 0; k < later.expected.length; k++) {
                expected[k] += later.expected[k];
            }
        }
    }

    /** How often each action was chosen; empty if actions are not counted. */
    Optional<List<Long>> chosen() {
        return countable
                ? Optional.of(new ArrayList<>(Arrays.stream(chosen).boxed().toList()))
                : Optional.empty();
    }

    /** The expected numbers; empty if they are not known for all examples. */
    Optional<List<Double>> expected() {
        return expectable
                ? Optional.of(new ArrayList<>(Arrays.stream(expected).boxed().toList()))
                : Optional.empty();
    }

    int bytes() {
        return 16 * chosen.length;
    }
}
