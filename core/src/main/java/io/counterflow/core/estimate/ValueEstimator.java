package io.counterflow.core.estimate;

/**
 * Estimates the value of a target policy from the log of another policy, one example at a time.
 *
 * <p>Estimators can be merged: the result is that of one estimator with all examples, up to
 * rounding. {@code add} allocates nothing.
 *
 * @param <E> the estimator itself
 */
interface ValueEstimator<E extends ValueEstimator<E>> extends ValueEstimate {

    /**
     * Adds an example.
     *
     * @param targetProbability π(a|x) of the logged action under the target policy, in [0, 1]
     * @param propensity p with which the logging policy chose it, in (0, 1]
     * @param reward r, in [0, 1]
     */
    void add(double targetProbability, double propensity, double reward);

    /**
     * Adds all examples of another estimator.
     *
     * @param other an estimator with the same settings. Not modified.
     */
    void merge(E other);
}
