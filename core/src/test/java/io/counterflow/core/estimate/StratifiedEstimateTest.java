package io.counterflow.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.numeric.EventRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class StratifiedEstimateTest {

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 100);
    }

    @Test
    void weighsVersionsByTheInverseVarianceOfTheirMeans() {
        StratifiedEstimate estimate = new StratifiedEstimate();
        estimate.add(7, 0.0);
        estimate.add(7, 2.0); // n 2, mean 1, squared deviations 2
        estimate.add(3, 2.0);
        estimate.add(3, 3.0);
        estimate.add(3, 4.0); // n 3, mean 3, squared deviations 2
        // pooled v̄ = (2 + 2)/(1 + 2) = 4/3
        // v of 7: (2 + 10 · 4/3)/(1 + 10) = 46/33; of 3: (2 + 40/3)/(2 + 10) = 46/36
        // n/v: 66/46 and 108/46, so the weights are 66/174 and 108/174
        assertThat(estimate.count()).isEqualTo(5);
        assertThat(estimate.strata())
                .extracting(Stratum::policyVersion, Stratum::count, Stratum::mean)
                .containsExactly(tuple(3L, 3L, 3.0), tuple(7L, 2L, 1.0));
        assertThat(estimate.value()).isCloseTo((66.0 + 3 * 108.0) / 174.0, within(1e-12));
        // the variance of the combination is 1/Σ(n/v) = 46/174
        assertThat(estimate.standardError()).isCloseTo(Math.sqrt(46.0 / 174.0), within(1e-12));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void oneVersionIsAPlainMean(long seed) {
        EventRandom random = new EventRandom(seed);
        StratifiedEstimate estimate = new StratifiedEstimate();
        Ips plain = new Ips();
        for (int i = 0; i < 20; i++) {
            double propensity = 0.1 + 0.9 * random.nextDouble();
            double reward = random.nextDouble();
            estimate.add(1, reward / propensity);
            plain.add(1.0, propensity, reward);
        }
        assertThat(estimate.value()).as("seed %d", seed).isCloseTo(plain.value(), within(1e-12));
        assertThat(estimate.standardError())
                .as("seed %d", seed)
                .isCloseTo(plain.standardError(), within(1e-12));
    }

    @Test
    void aTinyVersionWithoutVarianceDoesNotTakeOver() {
        StratifiedEstimate estimate = new StratifiedEstimate();
        for (int i = 0; i < 3; i++) {
            estimate.add(1, 0.0);
        }
        for (int i = 0; i < 1_000; i++) {
            estimate.add(2, i % 2);
        }
        assertThat(estimate.strata().get(0).weight()).isLessThan(0.01);
        assertThat(estimate.value()).isBetween(0.49, 0.5);
    }

    @Test
    void withoutAnyVarianceVersionsCountByTheirExamples() {
        StratifiedEstimate estimate = new StratifiedEstimate();
        estimate.add(1, 0.0);
        estimate.add(2, 1.0);
        assertThat(estimate.value()).isEqualTo(0.5);
        assertThat(estimate.standardError()).isInfinite();
        estimate.add(2, 1.0);
        estimate.add(2, 1.0);
        assertThat(estimate.value()).isEqualTo(0.75);
        assertThat(estimate.standardError()).isZero();
    }

    @Test
    void theLogThatResemblesTheTargetCountsForMoreAndTheErrorShrinks() {
        EventRandom random = new EventRandom(11);
        StratifiedEstimate stratified = new StratifiedEstimate();
        Ips naive = new Ips();
        // Target: action 0 always, rewarded half of the time. One version chose it with
        // probability 0.9, the other with 0.02.
        for (int i = 0; i < 20_000; i++) {
            long version = i % 2;
            double p = version == 0 ? 0.9 : 0.02;
            double target = random.nextDouble() < p ? 1.0 : 0.0;
            double reward = random.nextDouble() < 0.5 ? 1.0 : 0.0;
            double propensity = target == 1.0 ? p : 1.0 - p;
            naive.add(target, propensity, reward);
            stratified.add(version, target / propensity * reward);
        }
        assertThat(stratified.standardError()).isLessThan(0.3 * naive.standardError());
        assertThat(stratified.normalInterval(1e-4).contains(0.5)).isTrue();
        assertThat(naive.normalInterval(1e-4).contains(0.5)).isTrue();
    }

    @Test
    void refusesInvalidNumbersAndHasNoValueWithoutExamples() {
        StratifiedEstimate estimate = new StratifiedEstimate();
        assertThatThrownBy(() -> estimate.add(1, Double.NaN))
                .hasMessage("term must be within 1e100 of 0, got NaN");
        assertThatThrownBy(estimate::value).isInstanceOf(IllegalStateException.class);
        assertThat(estimate.standardError()).isInfinite();
        assertThat(estimate.strata()).isEmpty();
    }
}
