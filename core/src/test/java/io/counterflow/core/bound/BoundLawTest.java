package io.counterflow.core.bound;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Exponential;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

/**
 * Every bound on {@value #LOGS} simulated logs, with a posterior that depends on the log: the bound
 * may be wrong for a share δ of the logs, plus three binomial standard errors.
 *
 * <p>Two kinds of posterior. <b>Gibbs</b>: the hypotheses are the four maps from two contexts to
 * two actions, the prior is uniform over them, and the posterior favours those with high rewards in
 * the log. <b>Mixed logit</b>: a normal around weights (w, −w), where w is the one of a grid with
 * the best bound, which is the worst case for the bound.
 */
final class BoundLawTest {

    private static final int LOGS = 1_000;
    private static final int EXAMPLES = 2_000;
    private static final double DELTA = 0.1;
    private static final double FLOOR = 0.3;

    private static final double PRIOR_VARIANCE = 1.0;
    private static final double VARIANCE = 0.2;

    private static final double[] WEIGHTS = {-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0};

    /** The bound on the value from one log, and the true value. */
    private record Outcome(double lowerBound, double trueValue) {}

    @Test
    void mcAllestersBoundHolds() {
        // The loss is that of theorem 1, scaled into [0, 1].
        assertKept(
                log -> {
                    GibbsPosterior gibbs = new GibbsPosterior(log, FLOOR);
                    double scaled = FLOOR * SmallLoop.truncatedIps(log, gibbs.policy(), FLOOR);
                    RiskBound bound =
                            McAllester.bound(1.0 - scaled, gibbs.divergence(), EXAMPLES, DELTA);
                    // No propensity is below the floor, so the scaled value is τ V exactly.
                    return new Outcome(
                            bound.valueLowerBound(), FLOOR * SmallLoop.value(gibbs.policy()));
                },
                0.0);
    }

    @Test
    void theorem1Holds() {
        assertKept(
                log -> {
                    GibbsPosterior gibbs = new GibbsPosterior(log, FLOOR);
                    double risk = 1.0 - SmallLoop.truncatedIps(log, gibbs.policy(), FLOOR);
                    RiskBound bound =
                            TruncatedIpsBound.fixedFloor(
                                    risk, gibbs.divergence(), FLOOR, EXAMPLES, DELTA);
                    return new Outcome(bound.valueLowerBound(), SmallLoop.value(gibbs.policy()));
                },
                0.3);
    }

    @Test
    void theorem2HoldsWithAFloorFromTheData() {
        assertKept(
                log -> {
                    GibbsPosterior gibbs = new GibbsPosterior(log, FLOOR);
                    double floor = PropensityPercentile.of(propensities(log), 40.0);
                    double risk = 1.0 - SmallLoop.truncatedIps(log, gibbs.policy(), floor);
                    RiskBound bound =
                            TruncatedIpsBound.anyFloor(
                                    risk, gibbs.divergence(), floor, EXAMPLES, DELTA);
                    return new Outcome(bound.valueLowerBound(), SmallLoop.value(gibbs.policy()));
                },
                0.1);
    }

    @Test
    void theorem3Holds() {
        assertKept(
                log ->
                        bestMixedLogit(
                                weight -> {
                                    PosteriorGap gap = gap(weight, SmallLoop.LOGGING_WEIGHT);
                                    return MixedLogitBound.fixedPrior(
                                                    ofMean(log, weight),
                                                    gap,
                                                    FLOOR,
                                                    EXAMPLES,
                                                    DELTA)
                                            .valueLowerBound();
                                }),
                0.2);
    }

    @Test
    void theorem3HoldsWithAFloorFromTheData() {
        assertKept(
                log -> {
                    double floor = PropensityPercentile.of(propensities(log), 40.0);
                    return bestMixedLogit(
                            weight ->
                                    MixedLogitBound.fixedPriorAnyFloor(
                                                    ofMean(log, weight, floor),
                                                    gap(weight, SmallLoop.LOGGING_WEIGHT),
                                                    floor,
                                                    EXAMPLES,
                                                    DELTA)
                                            .valueLowerBound());
                },
                0.0);
    }

    @Test
    void theorem4HoldsWithAFloorFromTheData() {
        double regularization = 0.3;
        LearnedPrior prior = new LearnedPrior(regularization, SoftmaxLipschitz.blockFeatures(1.0));
        assertKept(
                log -> {
                    double floor = PropensityPercentile.of(propensities(log), 40.0);
                    double learned = learnedLoggingWeight(log, regularization);
                    return bestMixedLogit(
                            weight ->
                                    MixedLogitBound.learnedPriorAnyFloor(
                                                    ofMean(log, weight, floor),
                                                    gap(weight, learned),
                                                    prior,
                                                    floor,
                                                    EXAMPLES,
                                                    DELTA)
                                            .valueLowerBound());
                },
                0.0);
    }

    @Test
    void theorem4Holds() {
        double regularization = 0.3;
        LearnedPrior prior = new LearnedPrior(regularization, SoftmaxLipschitz.blockFeatures(1.0));
        assertKept(
                log -> {
                    double learned = learnedLoggingWeight(log, regularization);
                    return bestMixedLogit(
                            weight ->
                                    MixedLogitBound.learnedPrior(
                                                    ofMean(log, weight),
                                                    gap(weight, learned),
                                                    prior,
                                                    FLOOR,
                                                    EXAMPLES,
                                                    DELTA)
                                            .valueLowerBound());
                },
                0.2);
    }

    /** Shows that these simulations can fail: the estimate is not a bound. */
    @Test
    void theEstimateAloneDoesNotHold() {
        int violated = 0;
        for (int seed = 0; seed < LOGS; seed++) {
            int[][][] log = SmallLoop.log(EXAMPLES, EventRandom.named("log-" + seed));
            GibbsPosterior gibbs = new GibbsPosterior(log, FLOOR);
            double estimate = SmallLoop.truncatedIps(log, gibbs.policy(), FLOOR);
            violated += estimate > SmallLoop.value(gibbs.policy()) ? 1 : 0;
        }
        assertThat((double) violated / LOGS).isGreaterThan(3.0 * DELTA);
    }

    private interface Judge {
        Outcome judge(int[][][] log);
    }

    /**
     * The bound holds as often as it must, and is not vacuous: on average it is above a given
     * value.
     */
    private static void assertKept(Judge judge, double informative) {
        int violated = 0;
        double mean = 0.0;
        for (int seed = 0; seed < LOGS; seed++) {
            Outcome outcome =
                    judge.judge(SmallLoop.log(EXAMPLES, EventRandom.named("log-" + seed)));
            violated += outcome.lowerBound > outcome.trueValue ? 1 : 0;
            mean += outcome.lowerBound / LOGS;
        }
        assertShare(violated);
        assertThat(mean).as("mean lower bound on the value").isGreaterThan(informative);
    }

    private static void assertShare(int violated) {
        double rate = (double) violated / LOGS;
        assertThat(rate)
                .as("violated in a share of %s of %d logs", rate, LOGS)
                .isLessThanOrEqualTo(DELTA + 3.0 * Math.sqrt(DELTA * (1.0 - DELTA) / LOGS));
    }

    private static Outcome bestMixedLogit(ToDoubleFunction<Double> lowerBound) {
        double best = WEIGHTS[0];
        for (double weight : WEIGHTS) {
            best =
                    lowerBound.applyAsDouble(weight) > lowerBound.applyAsDouble(best)
                            ? weight
                            : best;
        }
        return new Outcome(
                lowerBound.applyAsDouble(best),
                SmallLoop.value(SmallLoop.mixedLogit(best, VARIANCE)));
    }

    /** Between weights (w, −w) and (v, −v): the squared distance is 2(w − v)². */
    private static PosteriorGap gap(double weight, double prior) {
        double difference = weight - prior;
        return new PosteriorGap(2.0 * difference * difference, 2, 1.0, PRIOR_VARIANCE, VARIANCE);
    }

    private static double ofMean(int[][][] log, double weight) {
        return ofMean(log, weight, FLOOR);
    }

    private static double ofMean(int[][][] log, double weight, double floor) {
        return SmallLoop.truncatedIps(log, SmallLoop.softmax(weight), floor);
    }

    /**
     * Solves {@code eq:rerm} by Newton's method: the minimum has the form (w, −w), and with k of n
     * examples choosing action 0 at x = 1 or action 1 at x = −1 the objective is (k/n) ln(1+e^−2w)
     * + (1−k/n) ln(1+e^2w) + 2λw².
     */
    private static double learnedLoggingWeight(int[][][] log, double regularization) {
        double k = log[1][0][0] + log[1][0][1] + log[0][1][0] + log[0][1][1];
        double share = k / EXAMPLES;
        double w = 0.0;
        double gradient = 1.0;
        for (int step = 0; step < 50 && Math.abs(gradient) > 1e-14; step++) {
            double p = 1.0 / (1.0 + Exponential.exp(-2.0 * w));
            gradient = 2.0 * (p - share) + 4.0 * regularization * w;
            w -= gradient / (4.0 * p * (1.0 - p) + 4.0 * regularization);
        }
        assertThat(Math.abs(gradient)).as("gradient at the minimum").isLessThan(1e-12);
        return w;
    }

    private static double[] propensities(int[][][] log) {
        double[] propensities = new double[EXAMPLES];
        int i = 0;
        for (int x = 0; x < 2; x++) {
            for (int a = 0; a < 2; a++) {
                for (int j = 0; j < log[x][a][0] + log[x][a][1]; j++) {
                    propensities[i++] = SmallLoop.PROPENSITY[x][a];
                }
            }
        }
        return propensities;
    }
}
