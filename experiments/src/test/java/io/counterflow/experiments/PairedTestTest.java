package io.counterflow.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PairedTestTest {

    @ParameterizedTest
    @ValueSource(doubles = {0.0, 1e-9, 0.3, 1.0, 2.5, 40.0, 1e6})
    void withOneDegreeOfFreedomItIsCauchys(double t) {
        assertThat(StudentT.twoSided(t, 1))
                .isCloseTo(1.0 - 2.0 / Math.PI * Math.atan(t), within(1e-13));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.0, 0.1, 1.0, 3.0, 25.0})
    void withTwoDegreesOfFreedomItHasAClosedForm(double t) {
        assertThat(StudentT.twoSided(t, 2))
                .isCloseTo(1.0 - t / Math.sqrt(2.0 + t * t), within(1e-13));
    }

    @Test
    void withThreeDegreesOfFreedomItHasAClosedForm() {
        double t = 2.0;
        double u = t / Math.sqrt(3.0);
        double inside = 2.0 / Math.PI * (u / (1.0 + u * u) + Math.atan(u));
        assertThat(StudentT.twoSided(t, 3)).isCloseTo(1.0 - inside, within(1e-13));
        assertThat(StudentT.twoSided(-t, 3)).isEqualTo(StudentT.twoSided(t, 3));
    }

    /** As in printed tables. */
    @ParameterizedTest
    @CsvSource({
        "1, 0.05, 12.706",
        "2, 0.05, 4.303",
        "4, 0.05, 2.776",
        "9, 0.05, 2.262",
        "9, 0.01, 3.250",
        "30, 0.05, 2.042",
        "120, 0.05, 1.980",
        "9, 0.5, 0.703"
    })
    void criticalValuesAreThoseOfPrintedTables(int degrees, double p, double t) {
        assertThat(StudentT.critical(p, degrees)).isCloseTo(t, within(0.0005));
        assertThat(StudentT.twoSided(StudentT.critical(p, degrees), degrees))
                .isCloseTo(p, within(1e-12));
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
    void aSingleTrialSaysNothingAboutChance() {
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
    void theBandIsTheConfidenceIntervalOfTheMean() {
        Summary summary = Summary.of(List.of(1.0, 2.0, 3.0));
        assertThat(summary.mean()).isEqualTo(2.0);
        assertThat(summary.deviation()).isEqualTo(1.0);
        assertThat(summary.halfWidth()).isCloseTo(4.302653 / Math.sqrt(3.0), within(1e-6));
    }
}
