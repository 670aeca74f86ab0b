package io.counterflow.core.bound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.confidence.LowerConfidenceSequence;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.Objective;
import io.counterflow.core.objective.Objectives;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.simulation.SimulatedLoop;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class LogSmoothedBoundTest {

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 50);
    }

    @Test
    void ofAFixedPolicy() {
        LogSmoothedBound bound = new LogSmoothedBound(1.0);
        for (int i = 0; i < 10; i++) {
            bound.add(0.8, 0.4, 1.0); // w r = 2
            bound.add(0.2, 0.6, 0.0);
        }
        ValueBound fixed = bound.fixedPolicy(0.05);
        // (10 ln 3 − ln 20)/20 = (10.986123 − 2.995732)/20 = 0.399520; e^0.399520 − 1 = 0.491108
        assertThat(fixed.logSum()).isCloseTo(10.986123, within(1e-6));
        assertThat(fixed.confidenceTerm()).isCloseTo(2.995732, within(1e-6));
        assertThat(fixed.divergence()).isZero();
        assertThat(fixed.total()).isCloseTo(0.491108, within(1e-6));
        assertThat(fixed.riskUpperBound()).isCloseTo(0.508892, within(1e-6));
        assertThat(fixed.vacuous()).isFalse();
    }

    @Test
    void ofAllPosteriors() {
        LogSmoothedBound bound = new LogSmoothedBound(1.0);
        for (int i = 0; i < 10; i++) {
            bound.add(0.8, 0.4, 1.0); // 0.8 ln(1 + 1/0.4) = 0.8 · 1.252763
            bound.add(0.2, 0.6, 0.0);
        }
        // σ²B² = 0.2: factor e^−0.1; KL = 1/(2 · 1) + (ln 5 + 0.2 − 1) = 1.309438 for D = 2
        PosteriorGap gap = new PosteriorGap(1.0, 2, 1.0, 1.0, 0.2);
        ValueBound all = bound.allPosteriors(gap, 0.05);
        // (0.904837 · 10.022104 − 1.309438 − 2.995732)/20 = 0.238161; e^0.238161 − 1 = 0.268914
        assertThat(all.logSum()).isCloseTo(0.904837 * 10.022104, within(1e-5));
        assertThat(all.divergence()).isCloseTo(1.309438, within(1e-6));
        assertThat(all.total()).isCloseTo(0.268914, within(1e-5));
    }

    /** LS-LPR minimises the exponent of its bound, up to sign, scale and a constant. */
    @Test
    void theObjectiveIsTheBoundsExponent() {
        double smoothing = 0.3;
        double priorVariance = 0.7;
        DenseModel prior = SimulatedLoop.randomModel(3, 2, 0.3, 1);
        ExampleLog log =
                new SimulatedLoop(3, 2, 2).log(Policy.softmax(prior), 200, new EventRandom(3));
        Objective objective =
                Objectives.lsLpr(
                        smoothing, Objectives.lsLprStrength(priorVariance, smoothing, log.size()));
        double[] objectives = new double[2];
        double[] exponents = new double[2];
        for (int j = 0; j < 2; j++) {
            DenseModel model = SimulatedLoop.randomModel(3, 2, 1.0, 4 + j);
            double squaredDistance = model.squaredDistance(prior);
            LogSmoothedBound bound = new LogSmoothedBound(smoothing);
            double[] logProbabilities = new double[log.size()];
            double[] probabilities = new double[3];
            for (int i = 0; i < log.size(); i++) {
                Policy.softmax(model).probabilities(log.features(i), log.allowed(i), probabilities);
                double probability = probabilities[log.action(i)];
                logProbabilities[i] = StrictMath.log(probability);
                bound.add(probability, log.propensity(i), log.reward(i));
            }
            PosteriorGap gap = new PosteriorGap(squaredDistance, 6, 1.0, priorVariance, 0.1);
            ValueBound value = bound.allPosteriors(1.0, GaussianKl.exact(gap), 0.05);
            exponents[j] = (value.logSum() - value.divergence()) / log.size();
            objectives[j] =
                    objective.dataTerm(log, logProbabilities)
                            + objective.strength() * squaredDistance;
        }
        assertThat(objectives[0] - objectives[1])
                .isCloseTo((exponents[1] - exponents[0]) / smoothing, within(1e-12));
    }

    @Test
    void aGridGivesALooserBoundThanOneLambda() {
        LogSmoothedBound grid = new LogSmoothedBound(1.0, 0.1, 0.01);
        LogSmoothedBound single = new LogSmoothedBound(0.1);
        for (int i = 0; i < 1_000; i++) {
            grid.add(0.5, 0.25, i % 2);
            single.add(0.5, 0.25, i % 2);
        }
        ValueBound best = grid.fixedPolicy(0.05);
        assertThat(best.smoothing()).isEqualTo(0.1);
        assertThat(best.confidenceTerm()).isCloseTo(StrictMath.log(60.0), within(1e-12));
        assertThat(best.total()).isLessThan(single.fixedPolicy(0.05).total());
        assertThat(best.total()).isCloseTo(single.fixedPolicy(0.05 / 3.0).total(), within(1e-12));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void withOneLambdaItIsTheConfidenceSequence(long seed) {
        EventRandom random = new EventRandom(seed);
        LogSmoothedBound bound = new LogSmoothedBound(0.5);
        LowerConfidenceSequence sequence = new LowerConfidenceSequence(0.5);
        for (int i = 0; i < 100; i++) {
            double target = random.nextDouble();
            double propensity = 0.1 + 0.9 * random.nextDouble();
            bound.add(target, propensity, 1.0);
            sequence.add(target / propensity);
        }
        assertThat(bound.fixedPolicy(0.05).total())
                .as("seed %d", seed)
                .isCloseTo(sequence.bound(0.05), within(1e-10));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void boundsLoosenWithConfidenceAndDivergence(long seed) {
        LogSmoothedBound bound = draw(seed, 100);
        double kl = 3.0 * new EventRandom(seed).nextDouble();
        double total = bound.allPosteriors(1.0, kl, 0.05).total();
        assertThat(bound.allPosteriors(1.0, kl, 0.01).total())
                .as("seed %d", seed)
                .isLessThan(total);
        assertThat(bound.allPosteriors(1.0, kl + 1.0, 0.05).total())
                .as("seed %d", seed)
                .isLessThan(total);
        assertThat(bound.allPosteriors(0.9, kl, 0.05).total())
                .as("seed %d", seed)
                .isLessThan(total);
        // ln(1 + πu) ≥ π ln(1 + u): a bound for all posteriors is looser even without divergence
        assertThat(bound.allPosteriors(1.0, 0.0, 0.05).total())
                .as("seed %d", seed)
                .isLessThan(bound.fixedPolicy(0.05).total());
    }

    @Test
    void extremesAreFiniteAndVacuousWhereTheyMustBe() {
        LogSmoothedBound bound = new LogSmoothedBound(1.0);
        bound.add(1.0, Double.MIN_VALUE, 1.0);
        assertThat(bound.fixedPolicy(0.05).total()).isFinite().isPositive();
        LogSmoothedBound unrewarded = new LogSmoothedBound(0.5, 1.0);
        unrewarded.add(0.5, 0.5, 0.0);
        assertThat(unrewarded.fixedPolicy(0.05).vacuous()).isTrue();
        assertThat(unrewarded.fixedPolicy(0.05).total()).isBetween(-2.0, 0.0);
        // a divergence beyond a double, and features beyond any use: −1/λ, the least there is
        assertThat(unrewarded.allPosteriors(1.0, Double.POSITIVE_INFINITY, 0.05).total())
                .isEqualTo(-1.0);
        PosteriorGap huge = new PosteriorGap(0.0, 1, Double.MAX_VALUE, 1.0, 1.0);
        assertThat(bound.allPosteriors(huge, 0.05).vacuous()).isTrue();
    }

    @Test
    void wrongUseIsNamed() {
        LogSmoothedBound bound = new LogSmoothedBound(1.0);
        assertThatThrownBy(() -> bound.fixedPolicy(0.05))
                .hasMessage("examples must be at least 1, got 0");
        assertThatThrownBy(() -> bound.add(0.5, 0.5, 1.5))
                .hasMessage("reward must be in [0, 1], got 1.5");
        assertThatThrownBy(() -> bound.add(0.5, Double.NaN, 1.0))
                .hasMessage("propensity must be in (0, 1], got NaN");
        assertThatThrownBy(() -> new LogSmoothedBound())
                .hasMessage("a bound needs at least one lambda, got 0");
        assertThatThrownBy(() -> new LogSmoothedBound(0.0))
                .hasMessage("smoothing must be in [1e-100, 1e100], got 0.0");
        assertThatThrownBy(() -> bound.allPosteriors(1.5, 0.0, 0.05))
                .hasMessage("factor must be in [0, 1], got 1.5");
    }

    private static LogSmoothedBound draw(long seed, int n) {
        LogSmoothedBound bound = new LogSmoothedBound(1.0, 0.3, 0.1);
        EventRandom random = new EventRandom(seed);
        for (int i = 0; i < n; i++) {
            bound.add(random.nextDouble(), 0.1 + 0.9 * random.nextDouble(), random.nextDouble());
        }
        return bound;
    }
}
