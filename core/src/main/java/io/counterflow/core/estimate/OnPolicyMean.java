package io.counterflow.core.estimate;

import java.util.OptionalDouble;

/** The mean reward that was logged: the logging policy's own value, whatever the target policy. */
public final class OnPolicyMean extends MeanEstimator<OnPolicyMean> {

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
