package io.counterflow.core.objective;

/**
 * The loss of one example as a function of the probability π(a|x) of its logged action.
 *
 * <p>The gradient with respect to the score of an allowed action k is slope · β (1{k=a} −
 * π<sub>k</sub>), where slope is the derivative of the loss with respect to ln π(a|x). So a loss
 * does not depend on scores, features or models.
 */
public interface ExampleLoss {

    /**
     * The part of the loss that does not depend on the parameters, computed once per example. An
     * example with a coefficient of zero has no gradient, and its scores are not computed.
     */
    double coefficient(double propensity, double reward);

    double loss(double coefficient, double propensity, double logProbability);

    /** The derivative of the loss with respect to ln π(a|x). */
    double slope(double coefficient, double propensity, double probability);

    /**
     * The loss of a policy in which the softmax decides only a share of the events: 1 − ε with an
     * exploration floor ε. The reward of uniform draws does not depend on the parameters. Losses
     * are linear in their coefficient or, in POEM, in the reward.
     *
     * @param share in [0, 1]
     */
    default ExampleLoss times(double share) {
        return share == 1.0 ? this : new SharedLoss(this, share);
    }
}
