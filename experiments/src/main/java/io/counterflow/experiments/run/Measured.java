package io.counterflow.experiments.run;

import io.counterflow.experiments.report.TestReward;

/**
 * Measurements of a trained policy. Values that were not measured are NaN.
 *
 * @param holdout value on held-out training data: truncated IPS of a fold, or the reward of drawn
 *     actions on contexts that are not in the stream
 * @param stochastic reward of drawn actions on test data
 * @param argmax reward of the most probable actions on test data
 */
public record Measured(double holdout, double stochastic, double argmax) {

    public static Measured onHoldout(double estimate) {
        return new Measured(estimate, Double.NaN, Double.NaN);
    }

    public static Measured onTest(TestReward reward) {
        return new Measured(Double.NaN, reward.stochastic(), reward.argmax());
    }

    /** The reward on test data. */
    public TestReward reward() {
        return new TestReward(stochastic, argmax);
    }
}
