package io.counterflow.experiments.trial;

import io.counterflow.core.numeric.EventRandom;

/**
 * Seeds of random numbers. Each purpose of each trial has its own seed, derived from the seed of
 * the experiment. So results do not depend on the order of computation or on the number of threads.
 */
public final class Seeds {

    private Seeds() {}

    /**
     * The random numbers of one purpose.
     *
     * @param seed seed of the experiment
     * @param purpose name of the purpose, such as {@code split}
     */
    static EventRandom random(long seed, int trial, String purpose) {
        return EventRandom.named(purpose + '/' + seed + '/' + trial);
    }

    /**
     * The seed of the shuffles in training. It is the same for all methods and all λ, so that they
     * see the same sequence of examples.
     */
    public static long order(long seed, int trial, int fold) {
        return random(seed, trial, "order" + fold).nextLong();
    }

    /** The seed of a stream's draws from its buffer and of its decisions. */
    public static long stream(long seed, int trial) {
        return random(seed, trial, "stream").nextLong();
    }

    /** The numbers from 0 to n − 1 in random order (Fisher–Yates shuffle). */
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
