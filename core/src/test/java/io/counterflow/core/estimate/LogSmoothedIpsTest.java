package io.counterflow.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class LogSmoothedIpsTest extends ValueEstimatorContract<LogSmoothedIps> {

    @Override
    LogSmoothedIps create() {
        return new LogSmoothedIps(1.0);
    }

    @Override
    double valueOnOwnLog(double[] rewards) {
        double sum = 0.0;
        for (double reward : rewards) {
            sum += StrictMath.log(1.0 + reward);
        }
        return sum / rewards.length;
    }

    @Test
    void isTheMeanOfLogarithms() {
        // w r is 2, 0.125, 0, 6: ln 3 + ln 1.125 + ln 1 + ln 7 = ln 23.625
        assertThat(SmallLog.addedTo(new LogSmoothedIps(1.0)).value())
                .isCloseTo(StrictMath.log(23.625) / 4.0, within(1e-15));
        // with λ = 1/2: 2 (ln 2 + ln 1.0625 + ln 1 + ln 4) = 2 ln 8.5
        assertThat(SmallLog.addedTo(new LogSmoothedIps(0.5)).value())
                .isCloseTo(2.0 * StrictMath.log(8.5) / 4.0, within(1e-15));
    }

    @Test
    void withoutSmoothingItIsIps() {
        assertThat(SmallLog.addedTo(new LogSmoothedIps(1e-12)).value())
                .isCloseTo(2.03125, within(1e-9));
    }

    @Test
    void moreSmoothingNeverRaisesTheValue() {
        double previous = Double.POSITIVE_INFINITY;
        for (double smoothing : new double[] {1e-100, 1e-6, 1e-3, 0.1, 1.0, 10.0, 1e100}) {
            double value = SmallLog.addedTo(new LogSmoothedIps(smoothing)).value();
            assertThat(value).as("smoothing %s", smoothing).isLessThanOrEqualTo(previous);
            previous = value;
        }
    }

    @Test
    void theDefaultIsOneOverTheRootOfTheCount() {
        assertThat(LogSmoothedIps.defaultSmoothing(10_000)).isEqualTo(0.01);
        assertThatThrownBy(() -> LogSmoothedIps.defaultSmoothing(0))
                .hasMessage("examples must be at least 1, got 0");
        assertThatThrownBy(() -> new LogSmoothedIps(0.0))
                .hasMessage("smoothing must be in [1e-100, 1e100], got 0.0");
        assertThatThrownBy(() -> create().merge(new LogSmoothedIps(2.0)))
                .hasMessage("estimators to merge must have the same smoothing, got 1.0 and 2.0");
    }
}
