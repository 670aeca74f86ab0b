package io.counterflow.experiments.trial;

import io.counterflow.core.numeric.Require;
import io.counterflow.experiments.data.ClassificationData;

/**
 * Settings of the training of the logging policy.
 *
 * @param supervised number of labelled examples
 * @param epochs passes over them. The paper does not specify the number. With few passes the policy
 *     is as uncertain as the paper's; with many its argmax is far better
 * @param lambda λ of its regularised likelihood
 */
record LoggingSettings(int supervised, int epochs, double lambda) {

    LoggingSettings {
        Require.atLeast(1, supervised, "supervised");
        Require.atLeast(1, epochs, "epochs");
        Require.finiteAtLeastZero(lambda, "lambda");
    }

    /** Settings that reach the reward of the paper's logging policy. */
    static LoggingSettings of(ClassificationData.Kind kind) {
        return switch (kind) {
            case FASHION_MNIST -> new LoggingSettings(1_000, 6, 0.01);
            case CIFAR_100 -> new LoggingSettings(1_000, 30, 0.001);
        };
    }
}
