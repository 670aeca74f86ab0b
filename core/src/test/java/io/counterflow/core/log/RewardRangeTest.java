package io.counterflow.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RewardRangeTest {

    @Test
    void theLowestRewardIsZeroInsideAndTheHighestIsOne() {
        RewardRange range = new RewardRange(-1.0, 3.0);
        assertThat(range.toUnit("value", -1.0)).isZero();
        assertThat(range.toUnit("value", 0.0)).isEqualTo(0.25);
        assertThat(range.toUnit("value", 3.0)).isEqualTo(1.0);
        assertThat(range.fromUnit(0.25)).isZero();
        assertThat(range.differenceFromUnit(-0.25)).isEqualTo(-1.0);
        assertThat(range.differenceToUnit(-1.0)).isEqualTo(-0.25);
    }

    @Test
    void rewardsInTheUnitRangeKeepTheirBits() {
        for (double reward : new double[] {0.0, 0.1, 1.0 / 3.0, Math.nextDown(1.0), 1.0}) {
            assertThat(RewardRange.UNIT.toUnit("value", reward)).isEqualTo(reward);
            assertThat(RewardRange.UNIT.fromUnit(reward)).isEqualTo(reward);
        }
    }

    @ParameterizedTest
    @CsvSource({"-1, 1, 0.5", "0, 500, 0", "1, 5, 0", "-5, -1, 1", "-1, 3, 0.25"})
    void theRewardOfNothingIsTheNearestOneToZero(double low, double high, double zero) {
        assertThat(new RewardRange(low, high).zero()).isEqualTo(zero);
    }

    @ParameterizedTest
    @CsvSource({"-1.001", "1.001", "NaN", "Infinity"})
    void aRewardOutsideOfTheRangeIsRefused(double reward) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RewardRange(-1.0, 1.0).toUnit("value", reward))
                .withMessage("value must be in [-1, 1], got " + reward);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 0", "NaN, 1", "0, NaN", "0, Infinity", "-2e9, 0", "1e8, 100000001"})
    void aRangeMustHaveAWidth(double low, double high) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RewardRange(low, high))
                .withMessageStartingWith("rewardRange must ");
    }

    @Test
    void everyRewardOfARangeIsInTheUnitRangeInside() {
        RewardRange money = new RewardRange(-0.1, 499.9);
        for (double reward = -0.1; reward < 499.9; reward += 0.37) {
            double inside = money.toUnit("value", reward);
            assertThat(inside).isBetween(0.0, 1.0);
            assertThat(money.fromUnit(inside)).isCloseTo(reward, within(1e-12 * 500.0));
        }
        assertThat(money.toUnit("value", 499.9)).isEqualTo(1.0);
    }
}
