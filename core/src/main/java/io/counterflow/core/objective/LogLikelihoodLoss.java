package io.counterflow.core.objective;

/**
 * Negative log-likelihood of the logged action, for any reward: −ln π(a|x) ({@code
 * eq:learn_log_policy_objective}).
 */
record LogLikelihoodLoss() implements ExampleLoss {

    @Override
    public double coefficient(double propensity, double reward) {
        return 1.0;
    }

    @Override
    public double loss(double coefficient, double propensity, double logProbability) {
        return -coefficient * logProbability;
    }

    @Override
    public double slope(double coefficient, double propensity, double probability) {
        return -coefficient;
    }
}
