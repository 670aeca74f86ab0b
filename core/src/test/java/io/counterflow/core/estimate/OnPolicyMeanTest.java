package io.counterflow.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.numeric.Numbers;
import org.junit.jupiter.api.Test;

final class OnPolicyMeanTest extends ValueEstimatorContract<OnPolicyMean> {

    @Override
    OnPolicyMean create() {
        return new OnPolicyMean();
    }

    @Test
    void isTheMeanReward() {
        assertThat(SmallLog.addedTo(create()).value()).isEqualTo(0.5);
    }

    @Test
    void theEmpiricalBernsteinIntervalIsThatOfMaurerAndPontil() {
        OnPolicyMean mean = create();
        for (int i = 0; i < 1_000; i++) {
            mean.add(0.5, 0.5, i % 2);
        }
        // v = 250/999, ln(4/0.05) = ln 80:
        // √(2 · (250/999) · 4.38203/1000) + 7 · 4.38203/(3 · 999) = 0.046832 + 0.010235
        Interval interval = mean.empiricalBernsteinInterval(0.05);
        assertThat(interval.upper()).isCloseTo(0.5 + 0.057067, within(1e-6));
        assertThat(interval.lower()).isCloseTo(0.5 - 0.057067, within(1e-6));
        assertThat(interval.contains(0.55)).isTrue();
        assertThat(interval.contains(0.56)).isFalse();
    }

    @Test
    void aRestartBetweenAnyTwoExamplesChangesNoBit() {
        OnPolicyMean uninterrupted = create();
        OnPolicyMean restarted = create();
        for (int i = 0; i < 20; i++) {
            uninterrupted.add(0.5, 0.5, 1.0 / (i + 1));
            restarted = OnPolicyMean.restore(restarted.sums());
            restarted.add(0.5, 0.5, 1.0 / (i + 1));
            assertThat(restarted.sums()).isEqualTo(uninterrupted.sums());
        }
    }

    @Test
    void invalidNumbersAreRefused() {
        assertThatThrownBy(() -> OnPolicyMean.restore(Numbers.of(1.0, 0.5)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OnPolicyMean.restore(Numbers.of(1.0, 0.5, 0.0, 0.0)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
