package io.counterflow.experiments.trial;

import io.counterflow.core.numeric.EventRandom;

/**
 * Where random numbers come from: each purpose of each trial has its own, made from the
 * experiment's seed. So no result depends on what was computed before it, or beside it.
 */
public final class Seeds {

    private Seeds() {}

    /**
     * The random numbers of one purpose.
     *
     * @param seed of the whole experiment
     * @param purpose what they are for, such as {@code split}
     */
    static EventRandom random(long seed, int trial, String purpose) {
        return EventRandom.named(purpose + '/' + seed + '/' + trial);
    }

    /**
     * The seed of a training run's shuffles: the same for every method and λ, so that all see the
     * same sequence of examples.
     */
    public static long order(long seed, int trial, int fold) {
        return random(seed, trial, "order" + fold).nextLong();
    }

    /** The seed of a stream's draws from its buffer and of its decisions. */
    public static long stream(long seed, int trial) {
        return random(seed, trial, "stream").nextLong();
    }

    /** The numbers from 0 in random order: Fisher and Yates. */
    static int[] permutation(int n, EventRandom random) {
        int[] order = new int[n];
        for (int i = 0; i < n; i++) {
            int j = random.nextInt(i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        return order;
    }
}
