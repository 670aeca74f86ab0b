package io.counterflow.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class WeightDiagnosticsTest {

    private static WeightDiagnostics ofSmallLog(int from, int to) {
        WeightDiagnostics weights = new WeightDiagnostics(SmallLog.FLOOR);
        for (int i = from; i < to; i++) {
            weights.add(SmallLog.TARGETS[i], SmallLog.PROPENSITIES[i]);
        }
        return weights;
    }

    @Test
    void reportsTheSizeOfTheWeights() {
        WeightDiagnostics weights = ofSmallLog(0, 4);
        // weights 2, 0.25, 9, 12: sum 23.25, sum of squares 229.0625
        assertThat(weights.meanWeight()).isCloseTo(5.8125, within(1e-12));
        assertThat(weights.maxWeight()).isCloseTo(12.0, within(1e-12));
        assertThat(weights.effectiveSampleSize())
                .isCloseTo(23.25 * 23.25 / 229.0625, within(1e-12));
    }

    @Test
    void countsEachKindOfClippingByItself() {
        WeightDiagnostics weights = new WeightDiagnostics(0.2);
        weights.add(0.1, 0.05); // below the floor, but a ratio of 2
        weights.add(1.0, 0.1); // below the floor, and a ratio of 10
        weights.add(1.0, 0.2); // at the floor, and a ratio of 5: neither
        weights.add(0.5, 0.5);
        assertThat(weights.flooredShare()).isEqualTo(0.5);
        assertThat(weights.cappedShare()).isEqualTo(0.25);
    }

    @Test
    void mergingEqualsOnePass() {
        WeightDiagnostics merged = ofSmallLog(0, 1);
        merged.merge(ofSmallLog(1, 4));
        WeightDiagnostics whole = ofSmallLog(0, 4);
        assertThat(merged.count()).isEqualTo(4);
        assertThat(merged.meanWeight()).isCloseTo(whole.meanWeight(), within(1e-12));
        assertThat(merged.maxWeight()).isEqualTo(whole.maxWeight());
        assertThat(merged.flooredShare()).isEqualTo(whole.flooredShare());
        assertThat(merged.cappedShare()).isEqualTo(whole.cappedShare());
        assertThat(merged.effectiveSampleSize())
                .isCloseTo(whole.effectiveSampleSize(), within(1e-12));
        assertThatThrownBy(() -> merged.merge(new WeightDiagnostics(0.1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aPolicyEvaluatedOnItsOwnLogHasWeightOneAndAllExamples() {
        WeightDiagnostics weights = new WeightDiagnostics(0.2);
        for (int i = 1; i <= 50; i++) {
            weights.add(i / 50.0, i / 50.0);
        }
        assertThat(weights.meanWeight()).isEqualTo(1.0);
        assertThat(weights.maxWeight()).isEqualTo(1.0);
        assertThat(weights.effectiveSampleSize()).isEqualTo(50.0);
    }

    @Test
    void noWeightsAndVanishingWeightsHaveNoEffectiveExamples() {
        WeightDiagnostics weights = new WeightDiagnostics(0.2);
        assertThat(weights.effectiveSampleSize()).isZero();
        assertThat(weights.meanWeight()).isZero();
        weights.add(0.0, 1.0);
        weights.add(Double.MIN_VALUE, 1.0);
        assertThat(weights.effectiveSampleSize()).isZero();
        weights.add(1.0, Double.MIN_VALUE);
        assertThat(weights.effectiveSampleSize()).isEqualTo(1.0);
    }
}
