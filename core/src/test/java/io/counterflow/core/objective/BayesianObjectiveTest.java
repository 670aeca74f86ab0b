package io.counterflow.core.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class BayesianObjectiveTest {

    record Case(long seed, BayesianSetting setting, double meanValue) {}

    static Stream<Case> cases() {
        return LongStream.range(0, 200)
                .mapToObj(
                        seed -> {
                            EventRandom random = new EventRandom(seed);
                            return new Case(
                                    seed,
                                    new BayesianSetting(
                                            2 + random.nextInt(100_000),
                                            0.01 + 0.99 * random.nextDouble(),
                                            StrictMath.exp(3.0 * random.nextGaussian()),
                                            StrictMath.exp(random.nextGaussian()),
                                            1 + random.nextInt(1_000)),
                                    3.0 * random.nextDouble());
                        });
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theDerivativeInTheVarianceAgreesWithFiniteDifferences(Case drawn) {
        BayesianObjective objective = new BayesianObjective(drawn.setting);
        double variance = drawn.setting.priorVariance() * 0.4;
        double h = 1e-6 * variance;
        double expected =
                (objective.dataTerm(drawn.meanValue, variance + h)
                                - objective.dataTerm(drawn.meanValue, variance - h))
                        / (2.0 * h);
        assertThat(objective.varianceDerivative(drawn.meanValue, variance))
                .isCloseTo(
                        expected,
                        within(1e-4 * (Math.abs(expected) + drawn.setting.varianceWeight())));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void noOtherVarianceIsBetterThanTheBest(Case drawn) {
        BayesianObjective objective = new BayesianObjective(drawn.setting);
        double best = objective.bestVariance(drawn.meanValue);
        double value = objective.dataTerm(drawn.meanValue, best);
        assertThat(best).isGreaterThan(0.0).isLessThanOrEqualTo(drawn.setting.priorVariance());
        for (int g = 1; g <= 1_000; g++) {
            double other = drawn.setting.priorVariance() * g / 1_000.0;
            assertThat(objective.dataTerm(drawn.meanValue, other))
                    .as("variance %s against the best, %s", other, best)
                    .isGreaterThanOrEqualTo(value - 1e-12 * Math.abs(value));
        }
    }

    @Test
    void theBestVarianceMayLieCloseToTheTurningPoint() {
        // B = 1 and D/(tau(n−1)) = 1/(0.1·50) = 0.2. At s = 1.5 the derivative v/2 e^(−s/2) − 0.2/s
        // is zero for v = 0.4/1.5 · e^0.75; it turns at 2/B² = 2, where the interval ends.
        BayesianSetting setting = new BayesianSetting(51, 0.1, 2.0, 1.0, 1);
        double meanValue = 0.4 / 1.5 * StrictMath.exp(0.75);
        assertThat(new BayesianObjective(setting).bestVariance(meanValue))
                .isCloseTo(1.5, within(1e-12));
    }

    @Test
    void theClosedFormVarianceIsTheOneOfTheEquation() {
        // n = 3, tau = 0.2: mean of r/max(p, tau) = (1/0.5 + 0.5/0.2 + 0)/3 = 1.5.
        // 2D/(B² tau (n−1)) / 1.5 = 2·4/(9·0.2·2)/1.5 = 1.4814814814814814.
        ExampleLog log = new ExampleLog();
        DenseVector x = DenseVector.of(1.0f);
        log.add(new LoggedExample(x, 0, 0.5, 1.0, 0));
        log.add(new LoggedExample(x, 0, 0.1, 0.5, 0));
        log.add(new LoggedExample(x, 0, 0.3, 0.0, 0));
        assertThat(new BayesianSetting(3, 0.2, 10.0, 3.0, 4).optimalVariance(log))
                .isCloseTo(1.4814814814814814, within(1e-15));
        assertThat(new BayesianSetting(3, 0.2, 1.0, 3.0, 4).optimalVariance(log)).isEqualTo(1.0);
    }

    @Test
    void withoutRewardsThePriorsVarianceStays() {
        ExampleLog log = new ExampleLog();
        log.add(new LoggedExample(DenseVector.of(1.0f), 0, 0.5, 0.0, 0));
        log.add(new LoggedExample(DenseVector.of(2.0f), 0, 0.5, 0.0, 0));
        BayesianSetting setting = new BayesianSetting(2, 0.2, 0.7, 2.0, 1);
        assertThat(setting.optimalVariance(log)).isEqualTo(0.7);
        assertThat(new BayesianObjective(setting).bestVariance(0.0)).isEqualTo(0.7);
    }

    @Test
    void aHugeNormBoundGivesAFiniteVariance() {
        BayesianSetting setting = new BayesianSetting(1_000, 0.01, 1.0, 1e12, 7_840);
        double variance = new BayesianObjective(setting).bestVariance(0.5);
        assertThat(variance).isGreaterThan(0.0).isLessThanOrEqualTo(1.0);
        assertThatThrownBy(() -> new BayesianSetting(1_000, 0.01, 1.0, 1e155, 7_840))
                .hasMessage("normBound must be in [0, 1e100], got 1.0E155");
    }

    @Test
    void oneExampleIsNotEnough() {
        assertThatThrownBy(() -> new BayesianSetting(1, 0.01, 1.0, 1.0, 1))
                .hasMessage("examples must be at least 2, got 1");
    }
}
