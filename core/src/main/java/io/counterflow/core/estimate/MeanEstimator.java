package io.counterflow.core.estimate;

import io.counterflow.core.numeric.Require;
import java.util.OptionalDouble;

/**
 * Base class of estimators that are the mean of one term per example.
 *
 * @param <E> the estimator itself
 */
public abstract sealed class MeanEstimator<E extends MeanEstimator<E>> implements ValueEstimator<E>
        permits Ips, TruncatedIps, ClippedRatioIps, LogSmoothedIps, OnPolicyMean {

    private final RunningMoments terms = new RunningMoments();

    MeanEstimator() {}

    /** The term of one example. */
    abstract double term(double targetProbability, double propensity, double reward);

    /** Refuses an estimator whose settings differ from this one's. */
    abstract void requireSameSettings(E other);

    @Override
    public final void add(double targetProbability, double propensity, double reward) {
        terms.add(term(targetProbability, propensity, Require.reward(reward)));
    }

    @Override
    public final void merge(E other) {
        requireSameSettings(other);
        MeanEstimator<E> that = other; // the private field is not visible through E
        terms.merge(that.terms);
    }

    @Override
    public final long count() {
        return terms.count();
    }

    @Override
    public final double value() {
        if (terms.count() == 0) {
            throw new IllegalStateException("no examples to estimate a value from");
        }
        return terms.mean();
    }

    @Override
    public final double standardError() {
        return terms.count() < 2
                ? Double.POSITIVE_INFINITY
                : Math.sqrt(terms.variance() / terms.count());
    }

    @Override
    public OptionalDouble termRange() {
        return OptionalDouble.empty();
    }

    public static void requireEqual(String what, double one, double other) {
        if (one != other) {
            throw new IllegalArgumentException(
                    "estimators to merge must have the same %s, got %s and %s"
                            .formatted(what, one, other));
        }
    }

    final void save(StoredSums to) {
        terms.save(to);
    }

    final void load(StoredSums from) {
        terms.load(from);
    }
}
