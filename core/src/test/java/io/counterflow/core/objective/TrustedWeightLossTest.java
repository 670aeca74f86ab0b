package io.counterflow.core.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TrustedWeightLossTest {

    private static final TrustedWeightLoss LOSS = new TrustedWeightLoss(4.0);

    private static double loss(double reward, double propensity, double probability) {
        return LOSS.loss(
                LOSS.coefficient(propensity, reward), propensity, StrictMath.log(probability));
    }

    @ParameterizedTest
    @CsvSource({
        "0.5, 0.2, 0.2, -0.5, -0.5", // w = 1
        "0.5, 0.2, 0.8, -2, -2", // w = 4, the last that is trusted
        "0.5, 0.2, 0.05, -0.125, -0.125", // w = 1/4, the first
        "1, 0.1, 0.8, -6.772588722239782, -4", // w = 8: 4 (1 + ln 2)
        "1, 0.8, 0.1, -0.07671320486001367, -0.25", // w = 1/8: (1 − ln 2)/4
        "0, 0.2, 0.5, 0, 0"
    })
    void itIsIpsWhereWeightsAreTrustedAndLogarithmicElsewhere(
            double reward, double propensity, double probability, double loss, double slope) {
        assertThat(loss(reward, propensity, probability)).isCloseTo(loss, within(1e-12));
        assertThat(LOSS.slope(reward, propensity, probability)).isCloseTo(slope, within(1e-12));
    }

    @ParameterizedTest
    @ValueSource(doubles = {1e-9, 1e-3, 0.05, 0.2, 0.6, 1.0})
    void outsideTheTrustedRangeItIsLowerThanIps(double probability) {
        for (double propensity : new double[] {1e-6, 0.01, 0.19, 0.9}) {
            double ips = probability / propensity;
            double promised = -loss(1.0, propensity, probability);
            if (ips < 0.25 || ips > 4.0) {
                assertThat(promised).isLessThan(ips);
            } else {
                assertThat(promised).isCloseTo(ips, within(1e-12));
            }
        }
    }

    /** With IPS, the slope of an action is as small as its probability. */
    @Test
    void anActionWithASmallProbabilityCanRecover() {
        assertThat(LOSS.slope(1.0, 0.3, 1e-12)).isEqualTo(-0.25);
        assertThat(new TruncatedIpsLoss(0.01, 1.0).slope(1.0 / 0.3, 0.3, 1e-12))
                .isGreaterThan(-1e-11);
    }

    @Test
    void aTinyPropensityLeavesTheLossFinite() {
        assertThat(loss(1.0, Double.MIN_VALUE, 1.0)).isFinite();
        assertThat(LOSS.slope(1.0, Double.MIN_VALUE, 1.0)).isEqualTo(-4.0);
        assertThat(LOSS.slope(1.0, 1.0, 0.0)).isEqualTo(-0.25);
    }

    @ParameterizedTest
    @ValueSource(doubles = {1.0, 0.5, 0.0, -2.0, Double.NaN, 1e7})
    void aFactorOutOfRangeIsRefused(double trust) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TrustedWeightLoss(trust))
                .withMessage("trust must be in (1, 1e6], got " + trust);
    }
}
