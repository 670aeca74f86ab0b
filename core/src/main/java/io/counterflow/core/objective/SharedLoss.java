package io.counterflow.core.objective;

import io.counterflow.core.numeric.Require;

/**
 * A loss whose coefficients are multiplied by the share of the events that the softmax decides.
 *
 * @param loss the loss of a softmax that decides all events
 * @param share 1 − ε
 */
record SharedLoss(ExampleLoss loss, double share) implements ExampleLoss {

    SharedLoss {
        Require.share(share, "share");
    }

    @Override
    public double coefficient(double propensity, double reward) {
        return share * loss.coefficient(propensity, reward);
    }

    @Override
    public double loss(double coefficient, double propensity, double logProbability) {
        return loss.loss(coefficient, propensity, logProbability);
    }

    @Override
    public double slope(double coefficient, double propensity, double probability) {
        return loss.slope(coefficient, propensity, probability);
    }
}
