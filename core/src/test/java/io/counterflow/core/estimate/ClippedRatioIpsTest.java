package io.counterflow.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class ClippedRatioIpsTest extends ValueEstimatorContract<ClippedRatioIps> {

    @Override
    ClippedRatioIps create() {
        return new ClippedRatioIps(SmallLog.FLOOR);
    }

    @Test
    void capsTheRatio() {
        ClippedRatioIps clipped = SmallLog.addedTo(create());
        // terms 2, 0.125, 0, 2.5: mean 4.625/4; Σ term² = 10.265625
        assertThat(clipped.value()).isCloseTo(1.15625, within(1e-15));
        assertThat(clipped.standardError())
                .isCloseTo(
                        Math.sqrt((10.265625 - 4 * 1.15625 * 1.15625) / 3.0 / 4.0), within(1e-12));
        assertThat(clipped.termRange()).hasValue(5.0);
    }

    @Test
    void refusesMergingDifferentFloors() {
        assertThatThrownBy(() -> create().merge(new ClippedRatioIps(0.3)))
                .hasMessage(
                        "estimators to merge must have the same propensityFloor, got 0.2 and 0.3");
    }
}
