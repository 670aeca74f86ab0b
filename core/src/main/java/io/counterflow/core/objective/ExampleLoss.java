package io.counterflow.core.objective;

/**
 * How the loss of one example depends on the probability π(a|x) that the softmax gives its logged
 * action.
 *
 * <p>The gradient with respect to the score of an allowed action k is slope · β (1{k=a} −
 * π<sub>k</sub>), where slope is the derivative of the loss with respect to ln π(a|x). So a loss
 * needs to know nothing of scores, features or models.
 */
public interface ExampleLoss {

    /**
     * The part of the loss that does not change while learning, computed once per example. An
     * example whose coefficient is zero has no gradient, and its scores are never computed.
     */
    double coefficient(double propensity, double reward);

    /** The loss itself. */
    double loss(double coefficient, double propensity, double logProbability);

    /** The derivative of the loss with respect to ln π(a|x). */
    double slope(double coefficient, double propensity, double probability);

    /**
     * The loss of a policy that the softmax decides only in part: with an exploration floor ε, its
     * share is 1 − ε, and what uniform draws earn does not depend on the parameters. Losses are
     * linear in their coefficient or, in POEM, in the reward that it stands for.
     *
     * @param share in [0, 1]
     */
    default ExampleLoss times(double share) {
        return share == 1.0 ? this : new SharedLoss(this, share);
    }
}
