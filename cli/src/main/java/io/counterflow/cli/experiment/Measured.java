package io.counterflow.cli.experiment;

/**
 * What was found out about a trained policy; NaN for what was not asked.
 *
 * @param holdout truncated IPS on the part that was left out
 * @param stochastic reward on test data of its draws
 * @param argmax reward on test data of its most probable actions
 */
record Measured(double holdout, double stochastic, double argmax) {

    static Measured onHoldout(double estimate) {
        return new Measured(estimate, Double.NaN, Double.NaN);
    }

    static Measured onTest(Reward reward) {
        return new Measured(Double.NaN, reward.stochastic(), reward.argmax());
    }
}
