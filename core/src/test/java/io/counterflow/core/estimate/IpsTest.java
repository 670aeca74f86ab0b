package io.counterflow.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class IpsTest extends ValueEstimatorContract<Ips> {

    @Override
    Ips create() {
        return new Ips();
    }

    @Test
    void isTheMeanOfWeightedRewards() {
        Ips ips = SmallLog.addedTo(new Ips());
        // terms 2, 0.125, 0, 6: mean 8.125/4; squared deviations 23.51171875
        assertThat(ips.value()).isEqualTo(2.03125);
        assertThat(ips.standardError())
                .isCloseTo(Math.sqrt(23.51171875 / 3.0 / 4.0), within(1e-12));
        // z of 0.025 is 1.959963984540054
        assertThat(ips.normalInterval(0.05).upper())
                .isCloseTo(2.03125 + 1.959963984540054 * ips.standardError(), within(1e-12));
    }

    @Test
    void hasNoEmpiricalBernsteinIntervalWithoutALargestWeight() {
        Ips ips = SmallLog.addedTo(new Ips());
        assertThatThrownBy(() -> ips.empiricalBernsteinInterval(0.05))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("terms of a known range; Ips has none");
    }

    @Test
    void refusesAWeightAboveTheLargest() {
        Ips ips = new Ips(4.0);
        ips.add(0.8, 0.2, 1.0);
        assertThat(ips.empiricalBernsteinInterval(0.05)).isEqualTo(new Interval(0.0, 4.0));
        assertThatThrownBy(() -> ips.add(1.0, 0.2, 1.0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("weight must be at most 4.0, got 5.0");
        assertThatThrownBy(() -> ips.merge(new Ips()))
                .hasMessage(
                        "estimators to merge must have the same maxWeight, got 4.0 and"
                                + " Infinity");
    }
}
