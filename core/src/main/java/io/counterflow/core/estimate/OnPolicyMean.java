package io.counterflow.core.estimate;

import io.counterflow.core.numeric.Numbers;
import java.util.OptionalDouble;

/**
 * The mean logged reward: the value of the logging policy. Does not depend on the target policy.
 */
public final class OnPolicyMean extends MeanEstimator<OnPolicyMean> {

    /**
     * Continues from a stored state.
     *
     * @throws IllegalArgumentException if the numbers were not returned by {@link #sums()}
     */
    public static OnPolicyMean restore(Numbers sums) {
        OnPolicyMean restored = new OnPolicyMean();
        StoredSums from = new StoredSums(sums);
        restored.load(from);
        from.requireEnd();
        return restored;
    }

    /** The state to store. */
    public Numbers sums() {
        StoredSums to = new StoredSums();
        save(to);
        return to.toNumbers();
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
