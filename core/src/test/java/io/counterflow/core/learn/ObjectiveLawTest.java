package io.counterflow.core.learn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.objective.BayesianSetting;
import io.counterflow.core.objective.ExampleLoss;
import io.counterflow.core.objective.Objective;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.objective.ObjectiveSettings;
import io.counterflow.core.objective.Objectives;
import io.counterflow.core.objective.SamplePass;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares every objective with its definition in the paper, in doubles: over the allowed actions,
 * at an inverse temperature, and with the share of the softmax.
 */
final class ObjectiveLawTest {

    private static final int PROBLEMS = 40;
    private static final double TAU = 0.1;
    private static final double LAMBDA = 0.03;
    private static final double VARIANCE_STRENGTH = 0.7;
    private static final double SMOOTHING = 0.4;
    private static final double TRUST = 1.5;

    /** An objective, the same by its definition, and the problem to compare them on. */
    record Case(Objective objective, ToDoubleFunction<double[]> definition, DrawnProblem problem) {
        Case {
            objective = objective.withSoftmaxShare(problem.share());
        }

        @Override
        public String toString() {
            return objective.name() + " on " + problem;
        }
    }

    static Stream<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (boolean dense : new boolean[] {true, false}) {
            IntStream.range(0, PROBLEMS)
                    .mapToObj(seed -> new DrawnProblem(seed, dense))
                    .forEach(problem -> cases.addAll(casesOf(problem)));
        }
        return cases.stream();
    }

    private static List<Case> casesOf(DrawnProblem problem) {
        double[] prior = problem.flatten(problem.prior);
        double[] zero = new double[prior.length];
        double share = problem.share();
        ToDoubleFunction<double[]> lpr = t -> LAMBDA * problem.squaredDistance(t, prior);
        ToDoubleFunction<double[]> l2 = t -> LAMBDA * problem.squaredDistance(t, zero);
        BayesianSetting setting = setting(problem);
        return List.of(
                new Case(
                        Objectives.ipsLpr(TAU, LAMBDA),
                        t -> -share * mean(problem, t, true) + lpr.applyAsDouble(t),
                        problem),
                new Case(
                        Objectives.ipsL2(TAU, LAMBDA),
                        t -> -share * mean(problem, t, true) + l2.applyAsDouble(t),
                        problem),
                new Case(
                        Objectives.wnllLpr(TAU, LAMBDA),
                        t -> -share * mean(problem, t, false) + lpr.applyAsDouble(t),
                        problem),
                new Case(
                        Objectives.lsLpr(SMOOTHING, LAMBDA),
                        t -> share * logSmoothed(problem, t) + lpr.applyAsDouble(t),
                        problem),
                new Case(
                        Objectives.trustLpr(TRUST, LAMBDA),
                        t -> share * trusted(problem, t) + lpr.applyAsDouble(t),
                        problem),
                new Case(
                        Objectives.loggingPolicy(LAMBDA),
                        t -> share * likelihood(problem, t) + l2.applyAsDouble(t),
                        problem),
                new Case(Objectives.poem(TAU, VARIANCE_STRENGTH), t -> poem(problem, t), problem),
                new Case(
                        Objectives.poemL2(TAU, VARIANCE_STRENGTH, LAMBDA),
                        t -> poem(problem, t) + l2.applyAsDouble(t),
                        problem),
                new Case(
                        ObjectiveName.BCRM.objective(
                                ObjectiveSettings.of(LAMBDA, TAU, SMOOTHING).with(setting)),
                        t -> bayesian(problem, setting, t, prior),
                        problem),
                new Case(
                        setting.convexObjective(),
                        t ->
                                -share * mean(problem, t, false)
                                        + problem.squaredDistance(t, prior)
                                                / (0.5 * TAU * (problem.log.size() - 1)),
                        problem));
    }

    private static BayesianSetting setting(DrawnProblem problem) {
        return new BayesianSetting(
                problem.log.size(), TAU, 0.5, problem.log.maxNorm(), problem.weights);
    }

    /** (1/n) Σ r f(π)/max(p, τ), with f the identity or the logarithm. */
    private static double mean(DrawnProblem problem, double[] theta, boolean identity) {
        double sum = 0.0;
        ExampleLog log = problem.log;
        for (int i = 0; i < log.size(); i++) {
            double logPi = problem.logProbability(theta, i);
            sum +=
                    log.reward(i)
                            * (identity ? StrictMath.exp(logPi) : logPi)
                            / Math.max(log.propensity(i), TAU);
        }
        return sum / log.size();
    }

    private static double logSmoothed(DrawnProblem problem, double[] theta) {
        double sum = 0.0;
        ExampleLog log = problem.log;
        for (int i = 0; i < log.size(); i++) {
            sum -=
                    StrictMath.exp(problem.logProbability(theta, i))
                            * StrictMath.log(1.0 + SMOOTHING * log.reward(i) / log.propensity(i))
                            / SMOOTHING;
        }
        return sum / log.size();
    }

    /** IPS, and its tangents in ln w below 1/M and above M. */
    private static double trusted(DrawnProblem problem, double[] theta) {
        double sum = 0.0;
        ExampleLog log = problem.log;
        for (int i = 0; i < log.size(); i++) {
            double w = StrictMath.exp(problem.logProbability(theta, i)) / log.propensity(i);
            double gain;
            if (w < 1.0 / TRUST) {
                gain = (1.0 + StrictMath.log(w * TRUST)) / TRUST;
            } else if (w > TRUST) {
                gain = TRUST * (1.0 + StrictMath.log(w / TRUST));
            } else {
                gain = w;
            }
            sum -= log.reward(i) * gain;
        }
        return sum / log.size();
    }

    private static double likelihood(DrawnProblem problem, double[] theta) {
        double sum = 0.0;
        for (int i = 0; i < problem.log.size(); i++) {
            sum -= problem.logProbability(theta, i);
        }
        return sum / problem.log.size();
    }

    private static double poem(DrawnProblem problem, double[] theta) {
        ExampleLog log = problem.log;
        int n = log.size();
        double[] u = new double[n];
        double mean = 0.0;
        for (int i = 0; i < n; i++) {
            double ratio = StrictMath.exp(problem.logProbability(theta, i)) / log.propensity(i);
            u[i] = -problem.share() * log.reward(i) * Math.min(ratio, 1.0 / TAU);
            mean += u[i] / n;
        }
        double variance = 0.0;
        for (double value : u) {
            variance += (value - mean) * (value - mean) / (n - 1);
        }
        return mean + VARIANCE_STRENGTH * Math.sqrt(variance / n);
    }

    /**
     * At the best of many variances: by the envelope theorem it may move with θ. A floor multiplies
     * the whole bound, so it does not appear.
     */
    private static double bayesian(
            DrawnProblem problem, BayesianSetting setting, double[] theta, double[] prior) {
        double value = mean(problem, theta, true);
        double n1 = problem.log.size() - 1;
        double b2 = setting.normBound() * setting.normBound();
        double best = Double.POSITIVE_INFINITY;
        for (int g = 1; g <= 20_000; g++) {
            double variance = 0.5 * g / 20_000.0;
            best =
                    Math.min(
                            best,
                            1.0
                                    - StrictMath.exp(-0.5 * variance * b2) * value
                                    - problem.weights * StrictMath.log(variance) / (TAU * n1));
        }
        return best + problem.squaredDistance(theta, prior) / (0.5 * TAU * n1);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theValueIsThatOfTheDefinition(Case drawn) {
        DrawnProblem problem = drawn.problem;
        Learner learner = learner(drawn, new AdaGrad(0.1, 1.0));
        double[] logProbabilities = new double[problem.log.size()];
        learner.logProbabilities(problem.log, logProbabilities);
        double value =
                drawn.objective.dataTerm(problem.log, logProbabilities)
                        + drawn.objective.strength()
                                * problem.squaredDistance(
                                        problem.flatten(problem.start), centre(drawn));
        double expected = drawn.definition.applyAsDouble(problem.flatten(problem.start));
        assertThat(value).isCloseTo(expected, within(2e-5 * (1.0 + Math.abs(expected))));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theGradientAgreesWithFiniteDifferences(Case drawn) {
        DrawnProblem problem = drawn.problem;
        double[] theta = problem.flatten(problem.start);
        double[] gradient = gradientOfOneStep(drawn);
        for (int p = 0; p < theta.length; p++) {
            double h = 1e-5;
            double at = theta[p];
            theta[p] = at + h;
            double above = drawn.definition.applyAsDouble(theta);
            theta[p] = at - h;
            double below = drawn.definition.applyAsDouble(theta);
            theta[p] = at;
            double expected = (above - below) / (2.0 * h);
            assertThat(gradient[p])
                    .as("parameter %d", p)
                    .isCloseTo(expected, within(1e-3 * (1.0 + Math.abs(expected))));
        }
    }

    /**
     * With rate and smoothing both 2²⁰ a first step is −g / (1 + |g|/2²⁰): the gradient, to six
     * digits.
     */
    private static double[] gradientOfOneStep(Case drawn) {
        DrawnProblem problem = drawn.problem;
        ExampleLog log = problem.log;
        Learner learner = learner(drawn, new AdaGrad(0x1p20, 0x1p20));
        double[] logProbabilities = new double[log.size()];
        learner.logProbabilities(log, logProbabilities);
        ExampleLoss loss =
                drawn.objective.lossForEpoch(
                        new SamplePass() {
                            @Override
                            public ExampleLog log() {
                                return log;
                            }

                            @Override
                            public double[] logProbabilities() {
                                return logProbabilities;
                            }
                        });
        double[] coefficients = new double[log.size()];
        int[] order = new int[log.size()];
        for (int i = 0; i < order.length; i++) {
            order[i] = i;
            coefficients[i] = loss.coefficient(log.propensity(i), log.reward(i));
        }
        learner.step(log, coefficients, loss, order, 0, order.length);
        double[] before = problem.flatten(problem.start);
        double[] after = problem.flatten(learner.model());
        for (int p = 0; p < before.length; p++) {
            before[p] -= after[p];
        }
        return before;
    }

    private static Learner learner(Case drawn, AdaGrad optimizer) {
        DrawnProblem problem = drawn.problem;
        return Learner.start(
                problem.start,
                drawn.objective.centre() == Objective.Centre.PRIOR
                        ? problem.prior
                        : problem.prior.zeros(),
                drawn.objective.strength(),
                problem.rule.inverseTemperature(),
                optimizer,
                problem.log.size());
    }

    static Stream<Case> linearCases() {
        return cases().filter(
                        drawn ->
                                List.of("ips-lpr", "ips-l2", "ls-lpr")
                                        .contains(drawn.objective.name()));
    }

    /** The reward of uniform draws is a constant, which cancels in a difference. */
    @ParameterizedTest
    @MethodSource("linearCases")
    void differencesOfLinearDataTermsAreThoseOfTheWholeServedPolicy(Case drawn) {
        DrawnProblem problem = drawn.problem;
        double softmaxPart = dataTerm(drawn, problem.start) - dataTerm(drawn, problem.prior);
        double whole = servedLoss(drawn, problem.start) - servedLoss(drawn, problem.prior);
        assertThat(softmaxPart).isCloseTo(whole, within(1e-11));
    }

    private static double dataTerm(Case drawn, LinearModel model) {
        DrawnProblem problem = drawn.problem;
        Learner learner =
                Learner.start(
                        model,
                        model,
                        0.0,
                        problem.rule.inverseTemperature(),
                        new AdaGrad(0.1, 1.0),
                        problem.log.size());
        double[] logProbabilities = new double[problem.log.size()];
        learner.logProbabilities(problem.log, logProbabilities);
        return drawn.objective.dataTerm(problem.log, logProbabilities);
    }

    /** −(1/n) Σ c π(a|x) of the served policy, including the floor. */
    private static double servedLoss(Case drawn, LinearModel model) {
        ExampleLog log = drawn.problem.log;
        Policy served = new Policy(model, drawn.problem.rule);
        double sum = 0.0;
        for (int i = 0; i < log.size(); i++) {
            double[] probabilities = new double[served.actionCount(log.features(i))];
            served.probabilities(log.features(i), log.allowed(i), probabilities);
            double coefficient =
                    drawn.objective.name().equals("ls-lpr")
                            ? StrictMath.log(1.0 + SMOOTHING * log.reward(i) / log.propensity(i))
                                    / SMOOTHING
                            : log.reward(i) / Math.max(log.propensity(i), TAU);
            sum -= coefficient * probabilities[log.action(i)];
        }
        return sum / log.size();
    }

    @Test
    void theDrawnProblemsHaveExclusionsTemperaturesAndFloorsAndSomeHaveNone() {
        for (boolean dense : new boolean[] {true, false}) {
            List<DrawnProblem> problems =
                    IntStream.range(0, PROBLEMS)
                            .mapToObj(seed -> new DrawnProblem(seed, dense))
                            .toList();
            assertThat(problems).anyMatch(p -> p.log.hasExclusions());
            assertThat(problems).anyMatch(p -> !p.log.hasExclusions());
            assertThat(problems).anyMatch(p -> p.rule.inverseTemperature() == 1.0);
            assertThat(problems).anyMatch(p -> p.rule.inverseTemperature() < 0.8);
            assertThat(problems).anyMatch(p -> p.rule.inverseTemperature() > 2.0);
            assertThat(problems).anyMatch(p -> p.rule.explorationFloor() == 0.0);
            assertThat(problems).anyMatch(p -> p.rule.explorationFloor() > 0.5);
            assertThat(problems)
                    .anyMatch(p -> p.rule.equals(DecisionRule.PLAIN) && !p.log.hasExclusions());
        }
    }

    private static double[] centre(Case drawn) {
        DrawnProblem problem = drawn.problem;
        double[] prior = problem.flatten(problem.prior);
        return drawn.objective.centre() == Objective.Centre.PRIOR
                ? prior
                : new double[prior.length];
    }
}
