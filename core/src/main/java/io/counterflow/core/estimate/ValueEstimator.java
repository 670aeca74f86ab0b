package io.counterflow.core.estimate;

/**
 * Estimates a target policy's value from what another policy logged, one example at a time.
 *
 * <p>Estimators merge: adding some examples to one and the rest to another, and merging them, is
 * adding all to one, up to rounding. {@code add} allocates nothing.
 *
 * @param <E> the estimator itself
 */
public interface ValueEstimator<E extends ValueEstimator<E>> extends ValueEstimate {

    /**
     * Takes one example.
     *
     * @param targetProbability π(a|x) of the logged action under the target policy, in [0, 1]
     * @param propensity p with which the logging policy chose it, in (0, 1]
     * @param reward r, in [0, 1]
     */
    void add(double targetProbability, double propensity, double reward);

    /**
     * Takes all examples that another estimator has seen.
     *
     * @param other an estimator with the same settings. Not modified.
     */
    void merge(E other);
}
