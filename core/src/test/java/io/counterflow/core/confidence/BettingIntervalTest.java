package io.counterflow.core.confidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.estimate.Interval;
import io.counterflow.core.numeric.EventRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BettingIntervalTest {

    private static final double DELTA = 0.05;
    private static final int LOGS = 400;

    /** Two actions, the second with a small propensity: weights 1/2 and 1/(2p). */
    private record World(double rate, double propensity) {

        double largest() {
            return 0.5 / propensity;
        }

        double term(EventRandom random) {
            boolean second = random.nextDouble() < propensity;
            boolean rewarded = random.nextDouble() < rate;
            return rewarded ? 0.5 / (second ? propensity : 1.0 - propensity) : 0.0;
        }
    }

    private static Interval interval(World world, int n, long seed) {
        EventRandom random = new EventRandom(seed);
        BettingInterval betting = new BettingInterval(n, world.largest(), DELTA);
        for (int i = 0; i < n; i++) {
            betting.add(world.term(random));
        }
        return betting.interval();
    }

    @ParameterizedTest
    @CsvSource({
        "0.005, 0.5, 2000",
        "0.005, 0.05, 2000",
        "0.005, 0.005, 2000",
        "0.2, 0.05, 1000",
        "0.9, 0.005, 500"
    })
    void missesAtMostAsOftenAsItSays(double rate, double propensity, int n) {
        World world = new World(rate, propensity);
        int misses = 0;
        for (int log = 0; log < LOGS; log++) {
            misses += interval(world, n, 1_000L + log).contains(rate) ? 0 : 1;
        }
        double standardError = Math.sqrt(DELTA * (1.0 - DELTA) / LOGS);
        assertThat((double) misses / LOGS).isLessThan(DELTA + 3.0 * standardError);
    }

    @ParameterizedTest
    @CsvSource({"0.005, 0.5, 10000, 1.7", "0.005, 0.05, 100000, 2.2", "0.2, 0.05, 10000, 1.8"})
    void isNotMuchWiderThanTheNormalInterval(
            double rate, double propensity, int n, double atMostTimes) {
        World world = new World(rate, propensity);
        double betting = 0.0;
        double normal = 0.0;
        for (int log = 0; log < 20; log++) {
            betting += interval(world, n, log).width();
            normal += normalWidth(world, n, log);
        }
        assertThat(betting / normal).isBetween(1.0, atMostTimes);
    }

    private static double normalWidth(World world, int n, long seed) {
        EventRandom random = new EventRandom(seed);
        double sum = 0.0;
        double squares = 0.0;
        for (int i = 0; i < n; i++) {
            double x = world.term(random);
            sum += x;
            squares += x * x;
        }
        double mean = sum / n;
        return 2.0 * 1.96 * Math.sqrt((squares / n - mean * mean) / n);
    }

    @Test
    void withoutRewardsTheUpperEndFallsWithTheNumberOfExamples() {
        BettingInterval few = new BettingInterval(1_000, 1.0, DELTA);
        BettingInterval many = new BettingInterval(100_000, 1.0, DELTA);
        for (int i = 0; i < 100_000; i++) {
            if (i < 1_000) {
                few.add(0.0);
            }
            many.add(0.0);
        }
        assertThat(few.interval().lower()).isZero();
        // 1 − (δ/2)^(1/n) = 0.00368 is the best possible
        assertThat(few.interval().upper()).isBetween(0.00368, 0.0055);
        assertThat(many.interval().upper()).isBetween(3.68e-5, 5.5e-5);
    }

    @Test
    void scalesWithItsTerms() {
        BettingInterval ones = new BettingInterval(500, 1.0, DELTA);
        BettingInterval mirrored = new BettingInterval(500, 1.0, DELTA);
        EventRandom random = new EventRandom(3);
        for (int i = 0; i < 500; i++) {
            double x = random.nextDouble() < 0.5 ? 1.0 : 0.0;
            ones.add(x);
            mirrored.add(1.0 - x);
        }
        // at one half both sides bet alike
        assertThat(mirrored.interval().lower())
                .isCloseTo(1.0 - ones.interval().upper(), within(0.01));
        assertThat(ones.interval().contains(0.5)).isTrue();
    }

    @Test
    void saysNothingWithoutTerms() {
        assertThat(new BettingInterval(1, 3.0, DELTA).interval()).isEqualTo(new Interval(0.0, 3.0));
    }

    @Test
    void refusesTermsOutOfRange() {
        BettingInterval betting = new BettingInterval(10, 2.0, DELTA);
        assertThatThrownBy(() -> betting.add(2.1))
                .hasMessage("x must be at most 2.0, the largest term, got 2.1");
        assertThatThrownBy(() -> betting.add(Double.NaN)).hasMessageContaining("x must be");
        assertThatThrownBy(() -> new BettingInterval(0, 2.0, DELTA)).hasMessageContaining("terms");
        assertThatThrownBy(() -> new BettingInterval(1, 0.0, DELTA))
                .hasMessage("largest must be in (0, 1e100], got 0.0");
    }
}
