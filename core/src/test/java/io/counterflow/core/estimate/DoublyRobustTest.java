package io.counterflow.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.numeric.EventRandom;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

final class DoublyRobustTest extends ValueEstimatorContract<DoublyRobustTest.WithoutModel> {

    /** With a reward model that says 0, so that the contract applies. */
    static final class WithoutModel implements ValueEstimator<WithoutModel> {

        private final DoublyRobust estimator = new DoublyRobust();

        @Override
        public void add(double targetProbability, double propensity, double reward) {
            estimator.add(targetProbability, propensity, reward, 0.0, 0.0);
        }

        @Override
        public void merge(WithoutModel other) {
            estimator.merge(other.estimator);
        }

        @Override
        public long count() {
            return estimator.count();
        }

        @Override
        public double value() {
            return estimator.value();
        }

        @Override
        public double standardError() {
            return estimator.standardError();
        }

        @Override
        public OptionalDouble termRange() {
            return estimator.termRange();
        }
    }

    @Override
    WithoutModel create() {
        return new WithoutModel();
    }

    @Test
    void addsTheWeightedResidualToTheModelledValue() {
        DoublyRobust estimator = new DoublyRobust();
        estimator.add(0.5, 0.25, 1.0, 0.6, 0.7); // 0.7 + 2 · 0.4 = 1.5
        estimator.add(0.2, 0.8, 0.5, 0.9, 0.4); // 0.4 − 0.25 · 0.4 = 0.3
        assertThat(estimator.value()).isCloseTo(0.9, within(1e-15));
        // deviations ±0.6: variance 0.72, √(0.72/2) = 0.6
        assertThat(estimator.standardError()).isCloseTo(0.6, within(1e-15));
    }

    @Test
    void aPerfectModelLeavesOnlyTheVarianceOfTheContexts() {
        DoublyRobust estimator = new DoublyRobust();
        EventRandom random = new EventRandom(5);
        for (int i = 0; i < 100; i++) {
            double reward = random.nextDouble();
            estimator.add(random.nextDouble(), 0.01, reward, reward, 0.3);
        }
        assertThat(estimator.value()).isCloseTo(0.3, within(1e-15));
        assertThat(estimator.standardError()).isCloseTo(0.0, within(1e-15));
    }

    @Test
    void modelledRewardsOutsideZeroToOneAreRefused() {
        DoublyRobust estimator = new DoublyRobust();
        assertThatThrownBy(() -> estimator.add(0.5, 0.5, 1.0, Double.NaN, 0.5))
                .hasMessage("modelledReward must be in [0, 1], got NaN");
        assertThatThrownBy(() -> estimator.add(0.5, 0.5, 1.0, 0.5, 1.5))
                .hasMessage("modelledValue must be in [0, 1], got 1.5");
        assertThat(estimator.count()).isZero();
    }
}
