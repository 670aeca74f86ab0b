package io.counterflow.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.ChiSquare;
import io.counterflow.core.numeric.EventRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Estimates are allowed four of their own standard errors; counts are tested by chi-square. */
final class MixedLogitLawTest {

    private static final int DRAWS = 20_000;
    private static final int SAMPLES = 100_000;
    private static final double STANDARD_ERRORS = 4.0;

    /** Both kinds of model, with features, and variances up to 4 times ‖φ‖² of about 1 to 4. */
    static Stream<Arguments> drawnCases(int n) {
        return LongStream.range(0, n)
                .boxed()
                .flatMap(
                        seed -> {
                            EventRandom random = new EventRandom(seed);
                            int actions = 2 + random.nextInt(5);
                            double variance = 4.0 * random.nextDouble();
                            random.nextInt(2); // between the two, or other cases are drawn
                            DenseModel dense = DrawnModels.dense(actions, 6, 0.5, seed);
                            HashedModel hashed = DrawnModels.hashed(0.5, random);
                            return Stream.of(
                                    Arguments.of(
                                            seed,
                                            new MixedLogit(dense, variance),
                                            DrawnModels.context(6, random)),
                                    Arguments.of(
                                            seed,
                                            new MixedLogit(hashed, variance),
                                            DrawnModels.rows(actions, random)));
                        });
    }

    static Stream<Arguments> fewCases() {
        return drawnCases(4);
    }

    static Stream<Arguments> someCases() {
        return drawnCases(40);
    }

    static Stream<Arguments> manyCases() {
        return drawnCases(100);
    }

    @ParameterizedTest
    @MethodSource("fewCases")
    void drawsComeAsOftenAsTheEstimatedProbabilitySays(long seed, MixedLogit policy, Features x) {
        EventRandom random = new EventRandom(1000 + seed);
        int[] counts = new int[MixedLogits.actions(policy, x)];
        for (int i = 0; i < DRAWS; i++) {
            counts[MixedLogits.draw(policy, x, random)]++;
        }
        // Twenty samples per draw, so that their own error adds little to that of the counts.
        double[] estimates = new double[counts.length];
        policy.scores(x, AllowedActions.ALL)
                .average(
                        20 * DRAWS,
                        new EventRandom(2000 + seed),
                        estimates,
                        new double[counts.length]);
        ChiSquare.assertFits(counts, estimates, "seed " + seed);
    }

    @ParameterizedTest
    @MethodSource("fewCases")
    void drawingScoresIsDrawingAllWeights(long seed, MixedLogit policy, Features x) {
        EventRandom random = new EventRandom(3000 + seed);
        int[] byScores = new int[MixedLogits.actions(policy, x)];
        int[] byWeights = new int[MixedLogits.actions(policy, x)];
        for (int i = 0; i < DRAWS; i++) {
            byScores[MixedLogits.draw(policy, x, random)]++;
            byWeights[drawByDefinition(policy, x, random)]++;
        }
        ChiSquare.assertSame(byScores, byWeights, "seed " + seed);
    }

    /**
     * eq:sampler word for word: every weight drawn, scores computed by the model, Gumbels added.
     */
    private static int drawByDefinition(MixedLogit policy, Features x, EventRandom random) {
        double deviation = Math.sqrt(policy.variance());
        LinearModel drawn;
        if (policy.mean() instanceof DenseModel mean) {
            float[][] weights = new float[mean.actions()][];
            for (int a = 0; a < weights.length; a++) {
                weights[a] = perturbed(mean.weights(a), deviation, random);
            }
            drawn = new DenseModel(weights, mean.biases());
        } else {
            HashedModel mean = (HashedModel) policy.mean();
            drawn = new HashedModel(mean.bits(), perturbed(mean.weights(), deviation, random));
        }
        double[] scores = new double[MixedLogits.actions(policy, x)];
        drawn.scores(x, scores);
        int best = 0;
        for (int a = 0; a < scores.length; a++) {
            scores[a] += random.nextGumbel();
            best = scores[a] > scores[best] ? a : best;
        }
        return best;
    }

    private static float[] perturbed(float[] mean, double deviation, EventRandom random) {
        float[] drawn = mean.clone();
        for (int i = 0; i < drawn.length; i++) {
            drawn[i] += (float) (deviation * random.nextGaussian());
        }
        return drawn;
    }

    @ParameterizedTest
    @MethodSource("manyCases")
    void theLemmaHolds(long seed, MixedLogit policy, Features x) {
        for (int a = 0; a < MixedLogits.actions(policy, x); a++) {
            MixedLogits.Estimate estimate =
                    MixedLogits.propensity(policy, x, a, 1_000, new EventRandom(5000 + seed));
            PropensityBounds bounds = MixedLogits.bounds(policy, x, a);
            double error = STANDARD_ERRORS * estimate.standardError() + 1e-12;
            assertThat(estimate.value())
                    .as("seed %d, action %d", seed, a)
                    .isBetween(bounds.lower() - error, bounds.upper() + error);
            PropensityBounds wider = MixedLogits.bounds(policy, x, a, 100.0);
            assertThat(wider.lower()).isLessThanOrEqualTo(bounds.lower());
            assertThat(wider.upper()).isGreaterThanOrEqualTo(bounds.upper());
        }
    }

    @Test
    void theLemmaIsComputedAsWritten() {
        DenseModel model = new DenseModel(new float[][] {{1f}, {0f}}, new float[2]);
        MixedLogit policy = new MixedLogit(model, 0.01);
        DenseVector x = DenseVector.of(2f);
        double softmax = StrictMath.exp(2.0) / (StrictMath.exp(2.0) + 1.0);
        PropensityBounds own = MixedLogits.bounds(policy, x, 1);
        assertThat(own.lower()).isCloseTo((1 - softmax) * StrictMath.exp(-0.02), within(1e-14));
        assertThat(own.upper()).isCloseTo((1 - softmax) * StrictMath.exp(0.08), within(1e-14));
        PropensityBounds given = MixedLogits.bounds(policy, x, 0, 3.0);
        assertThat(given.lower()).isCloseTo(softmax * StrictMath.exp(-0.045), within(1e-14));
        assertThat(given.upper()).isEqualTo(1.0);
    }

    @ParameterizedTest
    @MethodSource("someCases")
    void theStatedErrorIsTheErrorMade(long seed, MixedLogit policy, Features x) {
        double truth = MixedLogits.propensity(policy, x, 0, 20_000, new EventRandom(seed)).value();
        double squares = 0.0;
        int repetitions = 50;
        EventRandom random = new EventRandom(~seed);
        for (int i = 0; i < repetitions; i++) {
            MixedLogits.Estimate estimate = MixedLogits.propensity(policy, x, 0, 100, random);
            double z = (estimate.value() - truth) / (estimate.standardError() + 1e-300);
            squares += z * z;
        }
        // Mean of 50 squared near-normals: 1 ± 0.2; five of these, upwards some more for skewness.
        assertThat(squares / repetitions).as("seed %d", seed).isBetween(0.2, 3.0);
    }

    @ParameterizedTest
    @MethodSource("fewCases")
    void withoutVarianceItIsTheSoftmax(long seed, MixedLogit policy, Features x) {
        MixedLogit certain = new MixedLogit(policy.mean(), 0.0);
        double[] softmax = DrawnModels.probabilities(Policy.softmax(policy.mean()), x);
        for (int a = 0; a < softmax.length; a++) {
            MixedLogits.Estimate estimate =
                    MixedLogits.propensity(certain, x, a, 10, new EventRandom(seed));
            assertThat(estimate.value()).isCloseTo(softmax[a], within(1e-15));
            assertThat(estimate.standardError()).isCloseTo(0.0, within(1e-15));
            assertThat(MixedLogits.bounds(certain, x, a).lower())
                    .isCloseTo(softmax[a], within(1e-14));
            assertThat(MixedLogits.bounds(certain, x, a).upper())
                    .isCloseTo(softmax[a], within(1e-14));
        }
    }

    @ParameterizedTest
    @MethodSource("manyCases")
    void theSameRandomNumbersGiveTheSameActionAndEstimate(
            long seed, MixedLogit policy, Features x) {
        String eventId = "event-" + seed;
        assertThat(MixedLogits.draw(policy, x, EventRandom.named(eventId)))
                .isEqualTo(MixedLogits.draw(policy, x, EventRandom.named(eventId)));
        assertThat(MixedLogits.propensity(policy, x, 0, 10, EventRandom.named(eventId)))
                .isEqualTo(MixedLogits.propensity(policy, x, 0, 10, EventRandom.named(eventId)));
    }

    @Test
    void aDenseContextAndItsHashedTwinHaveTheSameProbabilities() {
        // Three actions of two features each, hashed without collisions: blocks of one vector.
        DenseModel dense = DrawnModels.dense(3, 2, 1.0, 8);
        float[] weights = new float[1 << DrawnModels.BITS];
        for (int a = 0; a < 3; a++) {
            System.arraycopy(dense.weights(a), 0, weights, 2 * a, 2);
        }
        DenseModel unbiased = new DenseModel(rows(dense), new float[3]);
        ActionFeatures phi =
                ActionFeatures.of(
                        DrawnModels.BITS,
                        new int[] {0, 2, 4, 6},
                        new int[] {0, 1, 2, 3, 4, 5},
                        new float[] {0.5f, -1f, 0.5f, -1f, 0.5f, -1f});
        MixedLogit one = new MixedLogit(unbiased, 2.0);
        MixedLogit other = new MixedLogit(new HashedModel(DrawnModels.BITS, weights), 2.0);
        for (int a = 0; a < 3; a++) {
            MixedLogits.Estimate p =
                    MixedLogits.propensity(
                            one, DenseVector.of(0.5f, -1f), a, SAMPLES, new EventRandom(1));
            MixedLogits.Estimate q =
                    MixedLogits.propensity(other, phi, a, SAMPLES, new EventRandom(2));
            double error = StrictMath.hypot(p.standardError(), q.standardError());
            assertThat(q.value()).isCloseTo(p.value(), within(STANDARD_ERRORS * error));
        }
    }

    private static float[][] rows(DenseModel model) {
        float[][] rows = new float[model.actions()][];
        for (int a = 0; a < rows.length; a++) {
            rows[a] = model.weights(a);
        }
        return rows;
    }

    @Test
    void theOnlyActionIsCertain() {
        MixedLogit policy = new MixedLogit(DrawnModels.dense(1, 2, 1.0, 1), 5.0);
        DenseVector x = DenseVector.of(1f, 2f);
        assertThat(MixedLogits.draw(policy, x, new EventRandom(1))).isZero();
        assertThat(MixedLogits.propensity(policy, x, 0, 5, new EventRandom(1)))
                .isEqualTo(new MixedLogits.Estimate(1.0, 0.0));
        assertThat(MixedLogits.bounds(policy, x, 0).upper()).isEqualTo(1.0);
    }

    @Test
    void refusesWhatDoesNotFit() {
        DenseModel model = DrawnModels.dense(2, 1, 1.0, 1);
        assertThatThrownBy(() -> new MixedLogit(model, Double.NaN))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("variance must be finite and at least 0, got NaN");
        assertThatThrownBy(() -> new MixedLogit(model, -1.0))
                .hasMessage("variance must be finite and at least 0, got -1.0");
        DenseModel huge = new DenseModel(new float[][] {{Float.MAX_VALUE}}, new float[1]);
        assertThatThrownBy(
                        () ->
                                MixedLogits.draw(
                                        new MixedLogit(huge, 1.0),
                                        DenseVector.of(2f),
                                        new EventRandom(1)))
                .hasMessage("scores must be finite, got Infinity");
    }

    @Test
    void hugeVariancesAndFeaturesGiveFiniteAnswers() {
        MixedLogit policy = new MixedLogit(DrawnModels.dense(3, 1, 1.0, 1), Double.MAX_VALUE);
        DenseVector x = DenseVector.of(1e30f);
        assertThat(MixedLogits.draw(policy, x, new EventRandom(1))).isBetween(0, 2);
        assertThat(MixedLogits.propensity(policy, x, 0, 1000, new EventRandom(1)).value())
                .isCloseTo(1.0 / 3.0, within(4.0 * 0.015)); // four standard errors
        assertThat(MixedLogits.bounds(policy, x, 0)).isEqualTo(new PropensityBounds(0.0, 1.0));
    }
}
