package io.counterflow.core.bound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.numeric.EventRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares each formula with a calculation by hand, and tests properties of all of them. */
final class RiskBoundTest {

    /** ln(101/0.05) = 7.610853, for n = 101, so that n − 1 = 100. */
    private static final double LOG = StrictMath.log(2020.0);

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 200);
    }

    @Test
    void mcAllester() {
        RiskBound bound = McAllester.bound(0.2, 1.5, 101, 0.05);
        // β = 2 (1.5 + 7.610853)/100 = 0.182217; √(0.2 β) = 0.190902
        assertThat(bound.empiricalRisk()).isEqualTo(0.2);
        assertThat(bound.divergence()).isEqualTo(1.5);
        assertThat(bound.confidenceTerm()).isCloseTo(LOG, within(1e-12));
        assertThat(bound.linearTerm()).isCloseTo(0.182217, within(1e-6));
        assertThat(bound.squareRootTerm()).isCloseTo(0.190902, within(1e-6));
        assertThat(bound.total()).isCloseTo(0.573119, within(1e-6));
        assertThat(bound.valueLowerBound()).isCloseTo(0.426881, within(1e-6));
        assertThat(bound.vacuous()).isFalse();
    }

    @Test
    void theorem1() {
        RiskBound bound = TruncatedIpsBound.fixedFloor(-0.5, 1.5, 0.25, 101, 0.05);
        // β = 2 (1.5 + 7.610853)/(0.25 · 100) = 0.728868; √((−0.5 − 1 + 4) β) = 1.349878
        assertThat(bound.confidenceTerm()).isCloseTo(LOG, within(1e-12));
        assertThat(bound.linearTerm()).isCloseTo(0.728868, within(1e-6));
        assertThat(bound.squareRootTerm()).isCloseTo(1.349878, within(1e-6));
        assertThat(bound.total()).isCloseTo(-0.5 + 0.728868 + 1.349878, within(1e-6));
        assertThat(bound.vacuous()).isTrue();
    }

    @Test
    void theorem2() {
        RiskBound bound = TruncatedIpsBound.anyFloor(-0.5, 1.5, 0.25, 101, 0.05);
        // ln(2 · 101/(0.05 · 0.25)) = ln 16160 = 9.690294
        // β = 4 (1.5 + 9.690294)/(0.25 · 100) = 1.790447; √((−0.5 − 1 + 8) β) = 3.411438
        assertThat(bound.confidenceTerm()).isCloseTo(9.690294, within(1e-6));
        assertThat(bound.linearTerm()).isCloseTo(1.790447, within(1e-6));
        assertThat(bound.squareRootTerm()).isCloseTo(3.411438, within(1e-6));
    }

    @Test
    void theorem3() {
        // σ²B² = 0.5 · 4 = 2: factor e⁻¹ = 0.367879, R̂ = 1 − 0.367879 · 0.8 = 0.705696
        // Γ = 3/2 + 5 ln(2/0.5) = 1.5 + 6.931472 = 8.431472
        PosteriorGap gap = new PosteriorGap(3.0, 5, 2.0, 2.0, 0.5);
        RiskBound bound = MixedLogitBound.fixedPrior(0.8, gap, 0.25, 101, 0.05);
        // β = (8.431472 + 2 · 7.610853)/(0.25 · 100) = 0.946127
        // √((0.705696 + 3) β) = 1.872448
        assertThat(bound.empiricalRisk()).isCloseTo(0.705696, within(1e-6));
        assertThat(bound.divergence()).isCloseTo(8.431472, within(1e-6));
        assertThat(bound.confidenceTerm()).isCloseTo(2.0 * LOG, within(1e-12));
        assertThat(bound.linearTerm()).isCloseTo(0.946127, within(1e-6));
        assertThat(bound.squareRootTerm()).isCloseTo(1.872448, within(1e-6));
    }

    @Test
    void theorems3And4WithAFloorFromTheData() {
        PosteriorGap gap = new PosteriorGap(3.0, 5, 2.0, 2.0, 0.5);
        RiskBound third = MixedLogitBound.fixedPriorAnyFloor(0.8, gap, 0.25, 101, 0.05);
        // 2 ln(2 · 101/(0.05 · 0.25)) = 19.380588; β = 2 (8.431472 + 19.380588)/25 = 2.224965
        // √((0.705696 − 1 + 8) β) = 4.140640
        assertThat(third.confidenceTerm()).isCloseTo(19.380588, within(1e-5));
        assertThat(third.linearTerm()).isCloseTo(2.224965, within(1e-5));
        assertThat(third.squareRootTerm()).isCloseTo(4.140640, within(1e-5));
        LearnedPrior prior = new LearnedPrior(0.5, 1.0);
        RiskBound fourth = MixedLogitBound.learnedPriorAnyFloor(0.8, gap, prior, 0.25, 101, 0.05);
        RiskBound halfDelta =
                TruncatedIpsBound.anyFloor(
                        fourth.empiricalRisk(),
                        prior.gamma(gap, 101, 0.05) / 2.0,
                        0.25,
                        101,
                        0.025);
        assertThat(fourth.total()).isCloseTo(halfDelta.total(), within(1e-12));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theorem3IsTheorem1WithTheBoundedKl(long seed) {
        EventRandom random = new EventRandom(seed);
        PosteriorGap gap = drawGap(random);
        double floor = 0.01 + 0.99 * random.nextDouble();
        double value = random.nextDouble() / floor;
        RiskBound third = MixedLogitBound.fixedPrior(value, gap, floor, 500, 0.1);
        RiskBound first =
                TruncatedIpsBound.fixedFloor(
                        MixedLogitBound.empiricalRisk(value, gap),
                        GaussianKl.upperBound(gap),
                        floor,
                        500,
                        0.1);
        assertThat(third.total())
                .as("seed %d", seed)
                .isCloseTo(first.total(), within(1e-12 * Math.abs(first.total()) + 1e-12));
    }

    @Test
    void theorem4() {
        // radius: (√2/0.5) √(2 ln(4/0.05)/101) = 2.828427 · √(8.764053/101) = 0.833176
        LearnedPrior prior = new LearnedPrior(0.5, SoftmaxLipschitz.blockFeatures(1.0));
        assertThat(prior.radius(101, 0.05)).isCloseTo(0.833176, within(1e-6));
        // Γ̂ = (2 + 0.833176)²/2 + 5 ln 4 = 4.013443 + 6.931472
        PosteriorGap gap = new PosteriorGap(4.0, 5, 1.0, 2.0, 0.5);
        assertThat(prior.gamma(gap, 101, 0.05)).isCloseTo(10.944915, within(1e-5));
        RiskBound bound = MixedLogitBound.learnedPrior(0.8, gap, prior, 0.25, 101, 0.05);
        // R̂ = 1 − e^(−1/4) · 0.8 = 0.376959; 2 ln(2 · 101/0.05) = 2 · 8.304000 = 16.608000
        // β = (10.944915 + 16.608000)/25 = 1.102117; √((0.376959 + 3) β) = 1.929198
        assertThat(bound.empiricalRisk()).isCloseTo(0.376959, within(1e-6));
        assertThat(bound.confidenceTerm()).isCloseTo(16.608, within(1e-5));
        assertThat(bound.linearTerm()).isCloseTo(1.102117, within(1e-5));
        assertThat(bound.squareRootTerm()).isCloseTo(1.929198, within(1e-5));
    }

    @Test
    void aPriorThatWasNotMinimisedToTheEndIsFurtherAway() {
        // a gradient of norm 0.3 leaves the minimum at most 0.3/(2 · 0.5) away
        assertThat(new LearnedPrior(0.5, 1.0, 0.3).radius(100, 0.05))
                .isCloseTo(new LearnedPrior(0.5, 1.0).radius(100, 0.05) + 0.3, within(1e-12));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void boundsLoosenWithConfidenceAndDivergenceAndTightenWithExamples(long seed) {
        EventRandom random = new EventRandom(seed);
        double floor = 0.01 + 0.99 * random.nextDouble();
        double risk = 1.0 - random.nextDouble() / floor;
        double kl = 10.0 * random.nextDouble();
        long n = 2L + random.nextInt(10_000);
        double delta = 0.01 + 0.5 * random.nextDouble();
        double fixed = TruncatedIpsBound.fixedFloor(risk, kl, floor, n, delta).total();
        double any = TruncatedIpsBound.anyFloor(risk, kl, floor, n, delta).total();
        double unit = McAllester.bound(random.nextDouble(), kl, n, delta).total();
        assertThat(fixed).as("seed %d", seed).isGreaterThan(risk).isLessThan(any);
        assertThat(TruncatedIpsBound.fixedFloor(risk, kl, floor, n, delta / 2.0).total())
                .as("seed %d", seed)
                .isGreaterThan(fixed);
        assertThat(TruncatedIpsBound.fixedFloor(risk, kl + 1.0, floor, n, delta).total())
                .as("seed %d", seed)
                .isGreaterThan(fixed);
        assertThat(TruncatedIpsBound.fixedFloor(risk, kl, floor, 10 * n, delta).total())
                .as("seed %d", seed)
                .isLessThan(fixed);
        assertThat(TruncatedIpsBound.anyFloor(risk, kl, floor, n, delta / 2.0).total())
                .as("seed %d", seed)
                .isGreaterThan(any);
        assertThat(unit).as("seed %d", seed).isFinite();
        PosteriorGap gap = drawGap(random);
        LearnedPrior prior = new LearnedPrior(0.1, 2.0);
        double value = random.nextDouble() / floor;
        double third = MixedLogitBound.fixedPrior(value, gap, floor, n, delta).total();
        double fourth = MixedLogitBound.learnedPrior(value, gap, prior, floor, n, delta).total();
        assertThat(fourth).as("seed %d", seed).isGreaterThan(third);
        assertThat(MixedLogitBound.learnedPrior(value, gap, prior, floor, n, delta / 2).total())
                .as("seed %d", seed)
                .isGreaterThan(fourth);
        assertThat(MixedLogitBound.fixedPrior(value, gap, floor, n, delta / 2).total())
                .as("seed %d", seed)
                .isGreaterThan(third);
    }

    @Test
    void aSingleExampleGivesAVacuousBound() {
        PosteriorGap gap = new PosteriorGap(0.0, 1, 1.0, 1.0, 1.0);
        LearnedPrior prior = new LearnedPrior(1.0, 1.0);
        RiskBound[] bounds = {
            McAllester.bound(0.0, 0.0, 1, 0.05),
            TruncatedIpsBound.fixedFloor(0.5, 0.0, 0.1, 1, 0.05),
            TruncatedIpsBound.anyFloor(0.5, 0.0, 0.1, 1, 0.05),
            MixedLogitBound.fixedPrior(1.0, gap, 0.1, 1, 0.05),
            MixedLogitBound.learnedPrior(1.0, gap, prior, 0.1, 1, 0.05)
        };
        for (RiskBound bound : bounds) {
            assertThat(bound.total()).isEqualTo(Double.POSITIVE_INFINITY);
            assertThat(bound.vacuous()).isTrue();
        }
    }

    @Test
    void withoutRewardsTheRiskIsOneAndTheBoundVacuous() {
        RiskBound bound =
                MixedLogitBound.fixedPrior(
                        0.0, new PosteriorGap(0.0, 2, 1.0, 1.0, 1.0), 0.5, 1_000_000, 0.05);
        assertThat(bound.empiricalRisk()).isEqualTo(1.0);
        assertThat(bound.total()).isFinite().isGreaterThan(1.0);
        assertThat(bound.vacuous()).isTrue();
    }

    @Test
    void hugeFeaturesLeaveARiskOfOneAndAFiniteBound() {
        for (double norm : new double[] {1e3, 1e160, Double.MAX_VALUE}) {
            PosteriorGap gap = new PosteriorGap(1.0, 10, norm, 1.0, 0.01);
            RiskBound bound = MixedLogitBound.fixedPrior(2.0, gap, 0.1, 1_000, 0.05);
            assertThat(bound.empiricalRisk()).as("norm %s", norm).isEqualTo(1.0);
            assertThat(bound.total()).as("norm %s", norm).isFinite();
        }
        // B² = 1e320 overflows on its own, but σ²B² is 1
        PosteriorGap tiny = new PosteriorGap(1.0, 10, 1e160, 1.0, 1e-320);
        assertThat(tiny.meanSoftmaxFactor()).isCloseTo(StrictMath.exp(-0.5), within(1e-4));
    }

    @Test
    void aDivergenceBeyondADoubleGivesAVacuousBoundAndNoNaN() {
        PosteriorGap gap = new PosteriorGap(1e308, 10, 1.0, 1e-300, 1e-308);
        assertThat(GaussianKl.exact(gap)).isEqualTo(Double.POSITIVE_INFINITY);
        RiskBound bound = MixedLogitBound.fixedPrior(10.0, gap, 0.1, 1_000, 0.05);
        assertThat(bound.total()).isEqualTo(Double.POSITIVE_INFINITY);
        RiskBound smallest =
                TruncatedIpsBound.fixedFloor(-9.0, Double.POSITIVE_INFINITY, 0.1, 1_000, 0.05);
        assertThat(smallest.total()).isEqualTo(Double.POSITIVE_INFINITY);
        LearnedPrior far = new LearnedPrior(1e-308, 1e308);
        assertThat(MixedLogitBound.learnedPrior(1.0, gap, far, 0.1, 10, 0.05).vacuous()).isTrue();
    }

    @Test
    void theSmallestPossibleRiskHasNoSquareRootTerm() {
        RiskBound bound = TruncatedIpsBound.fixedFloor(1.0 - 1.0 / 0.3, 0.0, 0.3, 100, 0.05);
        assertThat(bound.squareRootTerm()).isCloseTo(0.0, within(1e-7));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.0, 1.0, -1.0, Double.NaN})
    void aDeltaOutsideZeroToOneIsRefused(double delta) {
        assertThatThrownBy(() -> McAllester.bound(0.5, 0.0, 10, delta))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("delta must be in (0, 1), got " + delta);
    }

    @Test
    void otherArgumentsOutOfRangeAreNamed() {
        assertThatThrownBy(() -> McAllester.bound(-0.1, 0.0, 10, 0.05))
                .hasMessage("empiricalRisk must be in [0, 1], got -0.1");
        assertThatThrownBy(() -> McAllester.bound(0.1, Double.NaN, 10, 0.05))
                .hasMessage("divergence must be at least 0, got NaN");
        assertThatThrownBy(() -> McAllester.bound(0.1, 0.0, 0, 0.05))
                .hasMessage("examples must be at least 1, got 0");
        assertThatThrownBy(() -> TruncatedIpsBound.fixedFloor(-5.0, 0.0, 0.2, 10, 0.05))
                .hasMessage(
                        "empiricalRisk must be in [1 - 1/propensityFloor, 1] = [-4.0, 1], got"
                                + " -5.0");
        assertThatThrownBy(() -> TruncatedIpsBound.anyFloor(0.5, 0.0, 0.0, 10, 0.05))
                .hasMessage("propensityFloor must be in (0, 1], got 0.0");
        assertThatThrownBy(() -> new LearnedPrior(0.0, 1.0))
                .hasMessage("regularization must be finite and above 0, got 0.0");
    }

    private static PosteriorGap drawGap(EventRandom random) {
        double priorVariance = 0.01 + random.nextDouble();
        return new PosteriorGap(
                10.0 * random.nextDouble(),
                1L + random.nextInt(20),
                2.0 * random.nextDouble(),
                priorVariance,
                priorVariance * (0.01 + 0.99 * random.nextDouble()));
    }
}
