package io.counterflow.core.estimate;

import java.util.List;
import java.util.OptionalDouble;

/** The mean reward that was logged: the logging policy's own value, whatever the target policy. */
public final class OnPolicyMean extends MeanEstimator<OnPolicyMean> {

    /**
     * Goes on where a stored mean stopped.
     *
     * @throws IllegalArgumentException if these are no numbers that {@link #sums()} gave
     */
    public static OnPolicyMean restore(List<Double> sums) {
        OnPolicyMean restored = new OnPolicyMean();
        StoredSums from = new StoredSums(sums);
        restored.load(from);
        from.requireEnd();
        return restored;
    }

    /** All that has to be remembered. */
    public List<Double> sums() {
        StoredSums to = new StoredSums();
        save(to);
        return to.toList();
    }

    @Override
    double term(double targetProbability, double propensity, double reward) {
        ImportanceWeight.check(targetProbability, propensity);
        return reward;
    }

    @Override
    void requireSameSettings(OnPolicyMean other) {}

    @Override
    public OptionalDouble termRange() {
        return OptionalDouble.of(1.0);
    }
}
