package io.counterflow.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.numeric.EventRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class TruncatedIpsTest extends ValueEstimatorContract<TruncatedIps> {

    @Override
    TruncatedIps create() {
        return new TruncatedIps(SmallLog.FLOOR);
    }

    @Test
    void floorsThePropensity() {
        TruncatedIps truncated = SmallLog.addedTo(create());
        // terms 2, 0.125, 0, 1.5: mean 3.625/4; squared deviations 2.98046875
        assertThat(truncated.value()).isCloseTo(0.90625, within(1e-15));
        assertThat(truncated.standardError())
                .isCloseTo(Math.sqrt(2.98046875 / 3.0 / 4.0), within(1e-12));
        // 7 · 5 · ln(80) / (3 · 3) = 17 alone is wider than the terms' range
        assertThat(truncated.empiricalBernsteinInterval(0.05)).isEqualTo(new Interval(0.0, 5.0));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aHigherFloorNeverRaisesTheWeight(long seed) {
        EventRandom random = new EventRandom(seed);
        double target = random.nextDouble();
        double propensity = Math.max(1e-6, random.nextDouble());
        double lower = Math.max(1e-6, random.nextDouble());
        double higher = lower + (1.0 - lower) * random.nextDouble();
        assertThat(ImportanceWeight.truncated(target, propensity, higher))
                .as("seed %d", seed)
                .isLessThanOrEqualTo(ImportanceWeight.truncated(target, propensity, lower))
                .isLessThanOrEqualTo(1.0 / higher)
                .isLessThanOrEqualTo(ImportanceWeight.clipped(target, propensity, higher));
    }

    @Test
    void refusesAFloorOutsideZeroToOneAndMergingDifferentOnes() {
        assertThatThrownBy(() -> new TruncatedIps(0.0))
                .hasMessage("propensityFloor must be in (0, 1], got 0.0");
        assertThatThrownBy(() -> new TruncatedIps(Double.NaN))
                .hasMessage("propensityFloor must be in (0, 1], got NaN");
        assertThatThrownBy(() -> create().merge(new TruncatedIps(0.3)))
                .hasMessage(
                        "estimators to merge must have the same propensityFloor, got 0.2 and 0.3");
    }
}
