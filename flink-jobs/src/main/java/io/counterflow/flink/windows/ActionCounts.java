package io.counterflow.flink.windows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * How often each action was chosen, and how often that was to be expected: the sum of its logged
 * probabilities. By position, as positions are all that examples of any loop have in common.
 *
 * <p>Where the number of actions varies, both are as long as the largest number so far: an action
 * that an example did not have was not chosen in it and had probability 0. Both are about the same
 * examples or there is no expectation: one example without a logged distribution ends it. One
 * example with more than {@value #MAX_ACTIONS} actions ends both.
 */
final class ActionCounts {

    /** Most actions that are counted one by one. */
    static final int MAX_ACTIONS = 100;

    private boolean countable = true;
    private boolean expectable = true;
    private long[] chosen = {};
    private double[] expected = {};

    /** As stored: empty where counting has ended. */
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
     * Takes one example.
     *
     * @param distribution the logged probability of every action; another number of them counts as
     *     none
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

    /** How often each was chosen; empty where they are not counted. */
    Optional<List<Long>> chosen() {
        return countable
                ? Optional.of(new ArrayList<>(Arrays.stream(chosen).boxed().toList()))
                : Optional.empty();
    }

    /** How often that was to be expected; empty where it is not known for all examples. */
    Optional<List<Double>> expected() {
        return expectable
                ? Optional.of(new ArrayList<>(Arrays.stream(expected).boxed().toList()))
                : Optional.empty();
    }

    int bytes() {
        return 16 * chosen.length;
    }
}
