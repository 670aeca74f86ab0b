package io.counterflow.experiments.trial;

import io.counterflow.core.numeric.Require;
import io.counterflow.experiments.data.ClassificationData;

/**
 * How the policy that logs is made.
 *
 * @param supervised examples with labels that it is trained on
 * @param epochs passes over them. The paper does not say how many; few leave it as uncertain as the
 *     paper's, many make its argmax far better than the paper's
 * @param lambda λ of its regularised likelihood
 */
public record LoggingSettings(int supervised, int epochs, double lambda) {

    public LoggingSettings {
        Require.atLeast(1, supervised, "supervised");
        Require.atLeast(1, epochs, "epochs");
        Require.finiteAtLeastZero(lambda, "lambda");
    }

    /** Those that reach what the paper's logging policy earns. */
    static LoggingSettings of(ClassificationData.Kind kind) {
        return switch (kind) {
            case FASHION_MNIST -> new LoggingSettings(1_000, 6, 0.01);
            case CIFAR_100 -> new LoggingSettings(1_000, 30, 0.001);
        };
    }
}
