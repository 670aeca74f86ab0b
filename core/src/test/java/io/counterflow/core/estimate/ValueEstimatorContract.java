package io.counterflow.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.numeric.EventRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that every estimator must pass. */
abstract class ValueEstimatorContract<E extends ValueEstimator<E>> {

    /** A new estimator, with a propensity floor of 0.2 if it has one. */
    abstract E create();

    /** The estimate for a policy on its own log. */
    double valueOnOwnLog(double[] rewards) {
        double sum = 0.0;
        for (double reward : rewards) {
            sum += reward;
        }
        return sum / rewards.length;
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 100);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void mergingEqualsOnePass(long seed) {
        double[][] examples = draw(seed);
        int cut = new EventRandom(~seed).nextInt(examples.length + 1);
        E whole = create();
        E head = create();
        E tail = create();
        for (int i = 0; i < examples.length; i++) {
            add(whole, examples[i]);
            add(i < cut ? head : tail, examples[i]);
        }
        head.merge(tail);
        assertSame(head, whole, seed);
        tail.merge(create());
        whole.merge(create());
        assertSame(head, whole, seed);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theOrderOfExamplesDoesNotMatter(long seed) {
        double[][] examples = draw(seed);
        E forward = create();
        E backward = create();
        for (int i = 0; i < examples.length; i++) {
            add(forward, examples[i]);
            add(backward, examples[examples.length - 1 - i]);
        }
        assertSame(backward, forward, seed);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aPolicyEvaluatedOnItsOwnLogHasWeightOne(long seed) {
        double[][] examples = draw(seed);
        double[] rewards = new double[examples.length];
        E estimator = create();
        for (int i = 0; i < examples.length; i++) {
            double probability = Math.max(0.2, examples[i][1]); // at or above the floor
            rewards[i] = examples[i][2];
            estimator.add(probability, probability, rewards[i]);
        }
        assertThat(estimator.value())
                .as("seed %d", seed)
                .isCloseTo(valueOnOwnLog(rewards), within(1e-12));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noRewardMeansNoValueAndNoError(long seed) {
        E estimator = create();
        for (double[] example : draw(seed)) {
            estimator.add(example[0], example[1], 0.0);
        }
        assertThat(estimator.value()).as("seed %d", seed).isZero();
        assertThat(estimator.standardError()).as("seed %d", seed).isZero();
        assertThat(estimator.normalInterval(0.05)).isEqualTo(new Interval(0.0, 0.0));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void intervalsWidenAsConfidenceRises(long seed) {
        E estimator = create();
        for (double[] example : draw(seed)) {
            add(estimator, example);
        }
        assertThat(estimator.normalInterval(0.01).width())
                .as("seed %d", seed)
                .isGreaterThan(estimator.normalInterval(0.1).width());
        if (estimator.termRange().isPresent()) {
            assertThat(estimator.empiricalBernsteinInterval(0.01).width())
                    .as("seed %d", seed)
                    .isGreaterThanOrEqualTo(estimator.empiricalBernsteinInterval(0.1).width());
        }
    }

    @Test
    void extremeExamplesGiveFiniteAnswers() {
        E estimator = create();
        double[] probabilities = {0.0, Double.MIN_VALUE, 1e-300, 0.5, 1.0, 1.0 + 1e-12};
        double[] propensities = {Double.MIN_VALUE, 1e-300, 1e-10, 1.0};
        for (double target : probabilities) {
            for (double propensity : propensities) {
                estimator.add(target, propensity, 0.0);
                estimator.add(target, propensity, Double.MIN_VALUE);
                estimator.add(target, propensity, 1.0);
            }
        }
        assertThat(estimator.value()).isFinite().isNotNegative();
        assertThat(estimator.standardError()).isFinite().isNotNegative();
        assertThat(estimator.normalInterval(1e-300).width()).isFinite();
    }

    @Test
    void oneExampleHasAValueAndAnInfiniteError() {
        E estimator = create();
        estimator.add(0.5, 0.5, 1.0);
        assertThat(estimator.value()).isCloseTo(valueOnOwnLog(new double[] {1.0}), within(1e-12));
        assertThat(estimator.standardError()).isInfinite();
        assertThat(estimator.normalInterval(0.05).width()).isInfinite();
        if (estimator.termRange().isPresent()) {
            assertThat(estimator.empiricalBernsteinInterval(0.05))
                    .isEqualTo(new Interval(0.0, estimator.termRange().getAsDouble()));
        }
    }

    @Test
    void withoutExamplesThereIsNoValue() {
        assertThat(create().count()).isZero();
        assertThatThrownBy(() -> create().value())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no examples to estimate a value from");
    }

    @Test
    void mergingWithItselfDoublesTheCountAndKeepsTheValue() {
        E estimator = SmallLog.addedTo(create());
        double before = estimator.value();
        estimator.merge(estimator);
        assertThat(estimator.count()).isEqualTo(8);
        assertThat(estimator.value()).isCloseTo(before, within(1e-15));
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, 1.1, Double.NaN, Double.POSITIVE_INFINITY})
    void aRewardOutsideZeroToOneIsRefused(double reward) {
        refuses(0.5, 0.5, reward, "reward must be in [0, 1], got " + reward);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.0, -0.5, 1.1, Double.NaN, Double.POSITIVE_INFINITY})
    void aPropensityOutsideZeroToOneIsRefused(double propensity) {
        refuses(0.5, propensity, 1.0, "propensity must be in (0, 1], got " + propensity);
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1e-12, 1.1, Double.NaN, Double.POSITIVE_INFINITY})
    void aTargetProbabilityOutsideZeroToOneIsRefused(double target) {
        refuses(target, 0.5, 1.0, "targetProbability must be in [0, 1], got " + target);
    }

    private void refuses(double target, double propensity, double reward, String message) {
        E estimator = create();
        assertThatThrownBy(() -> estimator.add(target, propensity, reward))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
        assertThat(estimator.count()).isZero();
    }

    private static <E extends ValueEstimator<E>> void add(E estimator, double[] example) {
        estimator.add(example[0], example[1], example[2]);
    }

    private static void assertSame(ValueEstimate actual, ValueEstimate expected, long seed) {
        assertThat(actual.count()).as("seed %d", seed).isEqualTo(expected.count());
        assertClose(actual.value(), expected.value(), seed);
        assertClose(actual.standardError(), expected.standardError(), seed);
    }

    private static void assertClose(double actual, double expected, long seed) {
        assertThat(actual)
                .as("seed %d", seed)
                .isCloseTo(expected, within(1e-12 * Math.abs(expected)));
    }

    /** Rows of π, p and r; weights from tiny to some thousands. */
    private static double[][] draw(long seed) {
        EventRandom random = new EventRandom(seed);
        double[][] examples = new double[2 + random.nextInt(200)][];
        for (int i = 0; i < examples.length; i++) {
            double propensity = Math.max(1e-4, random.nextDouble());
            double reward = 0.1 + 0.9 * random.nextDouble();
            examples[i] = new double[] {0.01 + 0.99 * random.nextDouble(), propensity, reward};
        }
        return examples;
    }
}
