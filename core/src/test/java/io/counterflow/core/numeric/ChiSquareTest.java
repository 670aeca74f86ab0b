package io.counterflow.core.numeric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks that the test finds small differences at the sample sizes in use. */
final class ChiSquareTest {

    @ParameterizedTest
    @CsvSource({"1, 23.93", "2, 27.63", "5, 35.89", "99, 180.79"}) // exact quantiles
    void criticalValuesAreNotBelowTheQuantileAndNotFarAbove(int degrees, double quantile) {
        assertThat(ChiSquare.criticalValue(degrees)).isBetween(0.999 * quantile, 1.16 * quantile);
    }

    @Test
    void findsAProbabilityThatIsOffByTwoPercentagePoints() {
        int[] counts = {5_000, 5_000, 10_000};
        ChiSquare.assertFits(counts, new double[] {0.25, 0.25, 0.5}, "right");
        ChiSquare.assertFits(counts, new double[] {0.255, 0.245, 0.5}, "within its noise");
        assertThatThrownBy(
                        () -> ChiSquare.assertFits(counts, new double[] {0.27, 0.23, 0.5}, "off"))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(
                        () -> ChiSquare.assertSame(counts, new int[] {5_600, 4_400, 10_000}, "off"))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void findsADrawOfProbabilityZero() {
        assertThatThrownBy(
                        () ->
                                ChiSquare.assertFits(
                                        new int[] {9_999, 1}, new double[] {1.0, 0.0}, "zero"))
                .isInstanceOf(AssertionError.class);
    }
}
