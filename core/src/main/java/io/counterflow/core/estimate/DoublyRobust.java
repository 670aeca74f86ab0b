package io.counterflow.core.estimate;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.rewardmodel.CrossFittedRewardModel;
import java.util.OptionalDouble;

/**
 * The doubly robust estimator (Dudík, Langford and Li 2011): the mean of Σ<sub>k</sub> π(k|x) q(x,
 * k) + w (r − q(x, a)) with w = π(a|x)/p.
 *
 * <p>Unbiased if either the propensities or the reward model q are correct; a good q reduces the
 * variance. q must be fitted on other examples than the one it is applied to, which {@link
 * CrossFittedRewardModel} ensures; otherwise the estimate is too optimistic.
 */
final class DoublyRobust implements ValueEstimate {

    private final RunningMoments terms = new RunningMoments();

    /**
     * Adds an example.
     *
     * @param targetProbability π(a|x) of the logged action under the target policy, in [0, 1]
     * @param propensity p with which the logging policy chose it, in (0, 1]
     * @param reward r, in [0, 1]
     * @param modelledReward q(x, a) of the logged action, in [0, 1]
     * @param modelledValue Σ<sub>k</sub> π(k|x) q(x, k), in [0, 1]
     */
    public void add(
            double targetProbability,
            double propensity,
            double reward,
            double modelledReward,
            double modelledValue) {
        double weight = ImportanceWeight.of(targetProbability, propensity);
        Require.reward(reward);
        Require.share(modelledReward, "modelledReward");
        Require.share(modelledValue, "modelledValue");
        terms.add(modelledValue + weight * (reward - modelledReward));
    }

    /** Adds all examples of another estimator. */
    public void merge(DoublyRobust other) {
        terms.merge(other.terms);
    }

    @Override
    public long count() {
        return terms.count();
    }

    @Override
    public double value() {
        if (terms.count() == 0) {
            throw new IllegalStateException("no examples to estimate a value from");
        }
        return terms.mean();
    }

    @Override
    public double standardError() {
        return terms.count() < 2
                ? Double.POSITIVE_INFINITY
                : Math.sqrt(terms.variance() / terms.count());
    }

    @Override
    public OptionalDouble termRange() {
        return OptionalDouble.empty();
    }

    void save(StoredSums to) {
        terms.save(to);
    }

    void load(StoredSums from) {
        terms.load(from);
    }
}
