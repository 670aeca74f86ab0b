package io.counterflow.core.learn;

import io.counterflow.core.numeric.Require;

/**
 * How a policy is trained. Immutable.
 *
 * @param epochs passes over the log; the paper uses 500 (Fashion-MNIST) and 1,000 (CIFAR-100)
 * @param batchSize examples per AdaGrad step; the paper uses 100
 * @param optimizer the paper uses learning rate 0.1 and smoothing 1
 * @param seed of the shuffles: two runs with the same seed see the same sequence of examples, for
 *     any objective
 * @param start where the parameters start
 * @param inverseTemperature β of the policy that is trained: its scores are multiplied by it
 */
public record TrainerConfig(
        int epochs,
        int batchSize,
        AdaGrad optimizer,
        long seed,
        Start start,
        double inverseTemperature) {

    /** Where the parameters start. */
    public enum Start {
        /**
         * At the prior's parameters. Important for objectives that are not convex: a run that
         * starts at zeros may lose an action for ever.
         */
        PRIOR,
        /** At zero, as in the paper. */
        ZEROS
    }

    public TrainerConfig {
        Require.atLeast(1, epochs, "epochs");
        Require.atLeast(1, batchSize, "batchSize");
        Require.finiteAtLeastZero(inverseTemperature, "inverseTemperature");
    }

    /** For a policy with inverse temperature 1. */
    public TrainerConfig(int epochs, int batchSize, AdaGrad optimizer, long seed, Start start) {
        this(epochs, batchSize, optimizer, seed, start, 1.0);
    }
}
