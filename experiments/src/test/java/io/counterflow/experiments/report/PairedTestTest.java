package io.counterflow.experiments.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PairedTestTest {

    /** Values from printed tables. */
    @ParameterizedTest
    @CsvSource({"1, 12.706", "2, 4.303", "4, 2.776", "9, 2.262", "30, 2.042", "120, 1.980"})
    void criticalValuesMatchPrintedTables(int degrees, double t) {
        assertThat(Summary.critical(degrees)).isCloseTo(t, within(0.0005));
        assertThat(PairedTest.twoSided(t, degrees)).isCloseTo(0.05, within(1e-4));
        assertThat(PairedTest.twoSided(-t, degrees)).isEqualTo(PairedTest.twoSided(t, degrees));
    }

    /** Differences 1, 2, 3, 4: mean 2.5, deviation √(5/3), t = 2.5/(√(5/3)/2) = √15. */
    @Test
    void pairsAreComparedByTheirDifferences() {
        PairedTest test = PairedTest.of(List.of(2.0, 4.0, 6.0, 8.0), List.of(1.0, 2.0, 3.0, 4.0));
        assertThat(test.difference()).isEqualTo(2.5);
        double t = Math.sqrt(15.0);
        double u = t / Math.sqrt(3.0);
        double p = 1.0 - 2.0 / Math.PI * (u / (1.0 + u * u) + Math.atan(u));
        assertThat(test.pValue()).isCloseTo(p, within(1e-12));
        assertThat(p).isCloseTo(0.0305, within(0.0001)); // computed by hand from the closed form
        assertThat(test.isSignificant()).isTrue();
        assertThat(PairedTest.of(List.of(1.0, 2.0), List.of(2.0, 1.0)).isSignificant()).isFalse();
    }

    @Test
    void aSingleTrialHasNoPValue() {
        PairedTest single = PairedTest.of(List.of(0.8), List.of(0.7));
        assertThat(single.difference()).isCloseTo(0.1, within(1e-12));
        assertThat(single.pValue()).isNaN();
        assertThat(single.isSignificant()).isFalse();
        assertThat(Summary.of(List.of(0.8)).halfWidth()).isNaN();
    }

    @Test
    void equalPairsDoNotDiffer() {
        assertThat(PairedTest.of(List.of(0.8, 0.7), List.of(0.8, 0.7)).isSignificant()).isFalse();
        assertThatThrownBy(() -> PairedTest.of(List.of(0.8), List.of(0.8, 0.7)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("pairs must be as many, got 1 and 2");
    }

    /** Deviation 1, three trials: 4.302653 / √3. */
    @Test
    void theHalfWidthIsThatOfTheConfidenceIntervalOfTheMean() {
        Summary summary = Summary.of(List.of(1.0, 2.0, 3.0));
        assertThat(summary.mean()).isEqualTo(2.0);
        assertThat(summary.deviation()).isEqualTo(1.0);
        assertThat(summary.halfWidth()).isCloseTo(4.302653 / Math.sqrt(3.0), within(1e-6));
    }
}
