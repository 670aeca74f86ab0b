package io.counterflow.core.learn;

/**
 * How the loss of one example depends on the probability π(a|x) of its logged action.
 *
 * <p>The gradient with respect to the score of action k is slope · (1{k=a} − π<sub>k</sub>), where
 * slope is the derivative of the loss with respect to ln π(a|x). So a loss needs to know nothing of
 * scores, features or models.
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
}
