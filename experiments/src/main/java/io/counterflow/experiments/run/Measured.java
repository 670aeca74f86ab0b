package io.counterflow.experiments.run;

import io.counterflow.experiments.report.TestReward;

/**
 * What was found out about a trained policy; NaN for what was not asked.
 *
 * @param holdout on the part of the training data that was left out: truncated IPS of a fold, or
 *     the reward of draws on contexts that a stream was not given
 * @param stochastic reward on test data of its draws
 * @param argmax reward on test data of its most probable actions
 */
public record Measured(double holdout, double stochastic, double argmax) {

    public static Measured onHoldout(double estimate) {
        return new Measured(estimate, Double.NaN, Double.NaN);
    }

    public static Measured onTest(TestReward reward) {
        return new Measured(Double.NaN, reward.stochastic(), reward.argmax());
    }
}
