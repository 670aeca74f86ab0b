package io.counterflow.core.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.counterflow.core.numeric.EventRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RangeTest {

    @ParameterizedTest
    @CsvSource({
        "1e-6, 1e-6",
        "0.05, 0.05",
        "100000, 100000",
        "0, 0",
        "-0.0, 0",
        "1, 1",
        "-3, -3",
        "0.003, 0.003",
        "0.00025, 2.5e-4",
        "1.5, 1.5",
        "9999999, 9999999",
        "1e7, 1e7",
        "1e15, 1e15",
        "1.5e9, 1.5e9",
        "-2e-12, -2e-12"
    })
    void numbersAreShownAsPeopleWriteThem(double value, String shown) {
        assertThat(Range.show(value)).isEqualTo(shown);
    }

    @Test
    void aNumberThatIsShownCanBeReadBack() {
        EventRandom random = new EventRandom(1);
        for (int i = 0; i < 10_000; i++) {
            double value = random.nextGaussian() * Math.pow(10, random.nextInt(41) - 20);
            value = random.nextInt(2) == 0 ? value : Math.rint(value);
            assertThat(Double.parseDouble(Range.show(value)) + 0.0).isEqualTo(value + 0.0);
        }
    }

    @Test
    void aRangeGivesTheTextAfterMustBe() {
        assertThat(Range.closed(0, 1)).hasToString("in [0, 1]");
        assertThat(Range.closed(1e-12, 1e12)).hasToString("in [1e-12, 1e12]");
        assertThat(Range.above(0.0, 1e6)).hasToString("in (0, 1000000]");
        assertThat(Range.atLeast(1)).hasToString("at least 1");
    }

    @Test
    void bothEndsBelongToAClosedRange() {
        Range range = Range.closed(0.5, 2.0);
        assertThatNoException().isThrownBy(() -> range.require("it", 0.5));
        assertThatNoException().isThrownBy(() -> range.require("it", 2.0));
        assertRefused(range, Math.nextDown(0.5), "it must be in [0.5, 2], got 0.49999999999999994");
        assertRefused(range, Math.nextUp(2.0), "it must be in [0.5, 2], got 2.0000000000000004");
    }

    @Test
    void theStartOfAnOpenRangeDoesNotBelongToIt() {
        Range range = Range.above(0.0, 1.0);
        assertThatNoException().isThrownBy(() -> range.require("it", Double.MIN_VALUE));
        assertRefused(range, 0.0, "it must be in (0, 1], got 0");
        assertRefused(range, -0.0, "it must be in (0, 1], got 0");
    }

    @Test
    void nanIsOutOfEveryRange() {
        assertRefused(Range.closed(0, 1), Double.NaN, "it must be in [0, 1], got NaN");
        assertRefused(Range.atLeast(0), Double.NaN, "it must be at least 0, got NaN");
        assertRefused(
                Range.closed(0, 1), Double.POSITIVE_INFINITY, "it must be in [0, 1], got Infinity");
    }

    @Test
    void wholeNumbersAreShownByTheirDigits() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Range.closed(0, 1_000).require("it", 123_456_789_012L))
                .withMessage("it must be in [0, 1000], got 123456789012");
        assertThatNoException().isThrownBy(() -> Range.ANY.require("it", Long.MIN_VALUE));
        assertThatNoException().isThrownBy(() -> Range.atLeast(1).require("it", Long.MAX_VALUE));
    }

    private static void assertRefused(Range range, double value, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> range.require("it", value))
                .withMessage(message);
    }
}
