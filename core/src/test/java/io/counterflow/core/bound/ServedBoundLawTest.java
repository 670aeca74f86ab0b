package io.counterflow.core.bound;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The bound on served policies: its two inequalities on drawn cases, by Monte Carlo, and how often
 * it is violated over {@value #LOGS} simulated logs, by policies that were learned from them.
 */
final class ServedBoundLawTest {

    private static final int LOGS = 1_000;
    private static final int EXAMPLES = 200;
    private static final double DELTA = 0.1;
    private static final int ACTIONS = 3;

    /** Four contexts of different norms, equally likely. */
    private static final DenseVector[] CONTEXTS = {
        DenseVector.of(1f, 0f),
        DenseVector.of(0f, 1f),
        DenseVector.of(-2f, 1f),
        DenseVector.of(1f, 1f)
    };

    /** Probability of a reward, by context and action: little to learn, much noise to fit. */
    private static final double[][] REWARD = {
        {0.5, 0.6, 0.5}, {0.7, 0.6, 0.5}, {0.6, 0.6, 0.6}, {0.5, 0.5, 0.8}
    };

    private static final DenseModel PRIOR =
            new DenseModel(
                    new float[][] {{0.3f, 0.1f}, {-0.2f, 0.4f}, {0.0f, -0.5f}},
                    new float[] {0.1f, 0.0f, -0.1f});

    // ---- the inequalities

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 60);
    }

    /** Features, mean scores and a variance: one case of the derivation. */
    private static final class DrawnCase {
        private static final int DRAWS = 20_000;
        private static final int DIMENSION = 4;

        private final double[][] phi = new double[2 + DIMENSION][DIMENSION];
        private final double[] mean = new double[DIMENSION];
        private final double variance;
        private final int actions;
        private final EventRandom random;

        DrawnCase(long seed) {
            random = new EventRandom(seed);
            actions = 2 + random.nextInt(DIMENSION);
            variance = 0.02 + 0.5 * random.nextDouble();
            for (int k = 0; k < actions; k++) {
                for (int j = 0; j < DIMENSION; j++) {
                    phi[k][j] = random.nextGaussian() * (seed % 2 == 0 || j == k ? 1.0 : 0.0);
                }
            }
            for (int j = 0; j < DIMENSION; j++) {
                mean[j] = 2.0 * random.nextGaussian();
            }
        }

        double squaredDistance(int k) {
            double sum = 0.0;
            for (int j = 0; j < DIMENSION; j++) {
                sum += (phi[k][j] - phi[0][j]) * (phi[k][j] - phi[0][j]);
            }
            return sum;
        }

        double squaredNormBound() {
            double largest = 0.0;
            for (int k = 0; k < actions; k++) {
                double sum = 0.0;
                for (int j = 0; j < DIMENSION; j++) {
                    sum += phi[k][j] * phi[k][j];
                }
                largest = Math.max(largest, sum);
            }
            return largest;
        }

        /** Probability of action 0, with the others' scores raised by {@code raise} σ²d². */
        double probability(double[] theta, double raise) {
            double odds = 0.0;
            for (int k = 1; k < actions; k++) {
                double difference = raise * variance * squaredDistance(k);
                for (int j = 0; j < DIMENSION; j++) {
                    difference += theta[j] * (phi[k][j] - phi[0][j]);
                }
                odds += StrictMath.exp(difference);
            }
            return 1.0 / (1.0 + odds);
        }

        double[] drawTheta() {
            double[] theta = mean.clone();
            for (int j = 0; j < DIMENSION; j++) {
                theta[j] += Math.sqrt(variance) * random.nextGaussian();
            }
            return theta;
        }
    }

    /** A mean over draws, with its standard error. */
    private static final class Mean {
        private double sum;
        private double squares;
        private int n;

        void add(double x) {
            sum += x;
            squares += x * x;
            n++;
        }

        double value() {
            return sum / n;
        }

        double standardError() {
            return Math.sqrt(Math.max(0.0, squares / n - value() * value()) / n);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theHandicapCoversTheStepFromTheDrawnParametersToTheirMean(long seed) {
        DrawnCase drawn = new DrawnCase(seed);
        double softmax = drawn.probability(drawn.mean, 0.0);
        Mean handicapped = new Mean();
        Mean mixedLogit = new Mean();
        for (int i = 0; i < DrawnCase.DRAWS; i++) {
            double[] theta = drawn.drawTheta();
            handicapped.add(drawn.probability(theta, 0.5));
            mixedLogit.add(drawn.probability(theta, 0.0));
        }
        // E[ψ] ≤ ς, with ψ the softmax after the handicap σ²d²/2
        assertThat(handicapped.value())
                .as("seed %d", seed)
                .isLessThanOrEqualTo(softmax + 4.0 * handicapped.standardError());
        // so exp(−2σ²B²) π_Q ≤ ς, the paper's lemma, which is weaker
        double factor = StrictMath.exp(-2.0 * drawn.variance * drawn.squaredNormBound());
        assertThat(factor * mixedLogit.value())
                .as("seed %d", seed)
                .isLessThanOrEqualTo(softmax + 4.0 * factor * mixedLogit.standardError())
                .isLessThanOrEqualTo(handicapped.value() + 4.0 * handicapped.standardError());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theHandicapCoversTheMeanOfTheLogarithm(long seed) {
        DrawnCase drawn = new DrawnCase(seed);
        double u = 0.1 + 5.0 * drawn.random.nextDouble(); // λ r/p
        double floor = 0.3 * drawn.random.nextDouble();
        double uniform = floor / drawn.actions;
        for (double raise : new double[] {0.0, 0.5}) { // of a mixed logit and of a softmax
            Mean logs = new Mean();
            for (int i = 0; i < DrawnCase.DRAWS; i++) {
                double probability = drawn.probability(drawn.drawTheta(), raise);
                logs.add(StrictMath.log1p(u * ((1.0 - floor) * probability + uniform)));
            }
            double atMean = drawn.probability(drawn.mean, raise + 0.5);
            assertThat(logs.value())
                    .as("seed %d, handicap %s", seed, raise)
                    .isGreaterThanOrEqualTo(
                            StrictMath.log1p(u * ((1.0 - floor) * atMean + uniform))
                                    - 4.0 * logs.standardError());
        }
    }

    // ---- the bound

    static List<DecisionRule> rules() {
        List<DecisionRule> rules = new ArrayList<>();
        for (double beta : new double[] {0.5, 1.0, 2.0}) {
            for (double floor : new double[] {0.0, 0.05, 0.2}) {
                rules.add(DecisionRule.softmax(beta, floor));
                rules.add(
                        new DecisionRule(
                                PolicyKind.MIXED_LOGIT,
                                beta,
                                floor,
                                OptionalDouble.of(0.1),
                                PropensityKind.UPPER_BOUND,
                                100));
            }
        }
        return rules;
    }

    @ParameterizedTest
    @MethodSource("rules")
    void isViolatedNoMoreOftenThanDelta(DecisionRule rule) {
        int violated = 0;
        int estimateViolated = 0;
        double mean = 0.0;
        for (int seed = 0; seed < LOGS; seed++) {
            ExampleLog log = log(EventRandom.named("served-" + seed));
            Policy learned = new Policy(learn(log, rule.inverseTemperature()), rule);
            double truth = value(learned);
            double bound = ServedBound.of(log, learned, PRIOR, DELTA).value();
            violated += bound > truth ? 1 : 0;
            estimateViolated += estimate(log, learned) > truth ? 1 : 0;
            mean += bound / LOGS;
        }
        double allowed = DELTA + 3.0 * Math.sqrt(DELTA * (1.0 - DELTA) / LOGS);
        assertThat((double) violated / LOGS).as("%s", rule).isLessThanOrEqualTo(allowed);
        // The simulation can fail: the estimate from the same log is too high most of the time.
        assertThat((double) estimateViolated / LOGS).isGreaterThan(0.6);
        assertThat(mean).as("mean bound, %s", rule).isGreaterThan(0.2);
    }

    /** The variance is what the log makes it, so the prior's variance must not depend on it. */
    @ParameterizedTest
    @ValueSource(doubles = {0.5, 1.0, 2.0})
    void isViolatedNoMoreOftenThanDeltaIfTheVarianceIsLearned(double beta) {
        double priorVariance = 0.5;
        int violated = 0;
        double mean = 0.0;
        for (int seed = 0; seed < LOGS; seed++) {
            ExampleLog log = log(EventRandom.named("learned-" + seed));
            DecisionRule rule =
                    new DecisionRule(
                            PolicyKind.MIXED_LOGIT,
                            beta,
                            0.05,
                            OptionalDouble.of(priorVariance * bestRatio(log, beta)),
                            PropensityKind.UPPER_BOUND,
                            100);
            Policy learned = new Policy(learn(log, beta), rule);
            double bound =
                    ServedBound.ofLearnedVariance(log, learned, PRIOR, priorVariance, DELTA)
                            .value();
            violated += bound > value(learned) ? 1 : 0;
            mean += bound / LOGS;
        }
        double allowed = DELTA + 3.0 * Math.sqrt(DELTA * (1.0 - DELTA) / LOGS);
        assertThat((double) violated / LOGS).isLessThanOrEqualTo(allowed);
        assertThat(mean).as("mean bound").isGreaterThan(0.2);
    }

    /**
     * The share of the prior's variance, in (0, 1], at which the log makes the policy look best.
     */
    private static double bestRatio(ExampleLog log, double beta) {
        double reward = 0.0;
        for (int i = 0; i < log.size(); i++) {
            reward += log.reward(i) / log.propensity(i) / log.size();
        }
        return Math.min(1.0, 0.2 / (beta * reward * reward));
    }

    @Test
    void aLearnedVarianceCostsLittle() {
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < 20; i++) {
            ExampleLog more = log(new EventRandom(i));
            for (int j = 0; j < more.size(); j++) {
                log.add(more.example(j));
            }
        }
        for (double variance : new double[] {0.5, 0.123, 1e-3}) {
            DecisionRule rule =
                    new DecisionRule(
                            PolicyKind.MIXED_LOGIT,
                            1.0,
                            0.05,
                            OptionalDouble.of(variance),
                            PropensityKind.UPPER_BOUND,
                            100);
            Policy policy = new Policy(learn(log, 1.0), rule);
            double fixed = ServedBound.of(log, policy, PRIOR, DELTA).value();
            assertThat(ServedBound.ofLearnedVariance(log, policy, PRIOR, 0.5, DELTA).value())
                    .as("variance %s", variance)
                    .isLessThan(fixed)
                    .isGreaterThan(fixed - 0.05);
        }
    }

    @Test
    void growsTowardsTheValueWithTheLog() {
        EventRandom random = new EventRandom(5);
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < 100; i++) {
            ExampleLog more = log(random);
            for (int j = 0; j < more.size(); j++) {
                log.add(more.example(j));
            }
        }
        Policy learned = Policy.softmax(learn(log, 1.0));
        assertThat(ServedBound.of(log, learned, PRIOR, 0.05).value())
                .isBetween(0.9 * value(learned), value(learned));
    }

    private static ExampleLog log(EventRandom random) {
        Policy logging = Policy.softmax(PRIOR);
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < EXAMPLES; i++) {
            int x = random.nextInt(CONTEXTS.length);
            var decision = logging.decide(CONTEXTS[x], AllowedActions.ALL, random);
            double reward = random.nextDouble() < REWARD[x][decision.action()] ? 1.0 : 0.0;
            log.add(
                    new LoggedExample(
                            CONTEXTS[x], decision.action(), decision.propensity(), reward, 0));
        }
        return log;
    }

    /** Gradient ascent on the IPS estimate at inverse temperature β, from the prior. */
    private static DenseModel learn(ExampleLog log, double beta) {
        double[][] gains = new double[CONTEXTS.length][ACTIONS]; // Σ r/p over n
        for (int i = 0; i < log.size(); i++) {
            gains[List.of(CONTEXTS).indexOf(log.features(i))][log.action(i)] +=
                    log.reward(i) / log.propensity(i) / log.size();
        }
        float[][] weights = {PRIOR.weights(0), PRIOR.weights(1), PRIOR.weights(2)};
        float[] biases = PRIOR.biases();
        double[] probabilities = new double[ACTIONS];
        for (int step = 0; step < 25; step++) {
            Policy policy =
                    new Policy(new DenseModel(weights, biases), DecisionRule.softmax(beta, 0.0));
            for (int x = 0; x < CONTEXTS.length; x++) {
                policy.probabilities(CONTEXTS[x], AllowedActions.ALL, probabilities);
                double mean = 0.0;
                for (int a = 0; a < ACTIONS; a++) {
                    mean += probabilities[a] * gains[x][a];
                }
                float[] features = CONTEXTS[x].toArray();
                for (int a = 0; a < ACTIONS; a++) {
                    float slope = (float) (beta * probabilities[a] * (gains[x][a] - mean));
                    weights[a][0] += slope * features[0];
                    weights[a][1] += slope * features[1];
                    biases[a] += slope;
                }
            }
        }
        return new DenseModel(weights, biases);
    }

    private static double estimate(ExampleLog log, Policy policy) {
        double[] probabilities = new double[ACTIONS];
        double sum = 0.0;
        for (int i = 0; i < log.size(); i++) {
            policy.probabilities(log.features(i), AllowedActions.ALL, probabilities);
            sum += probabilities[log.action(i)] * log.reward(i) / log.propensity(i);
        }
        return sum / log.size();
    }

    /** The true value: exact for a softmax, by quadrature over the scores for a mixed logit. */
    private static double value(Policy policy) {
        double value = 0.0;
        for (int x = 0; x < CONTEXTS.length; x++) {
            double[] probabilities = probabilities(policy, CONTEXTS[x]);
            for (int a = 0; a < ACTIONS; a++) {
                value += probabilities[a] * REWARD[x][a] / CONTEXTS.length;
            }
        }
        return value;
    }

    private static double[] probabilities(Policy policy, DenseVector x) {
        double[] probabilities = new double[ACTIONS];
        policy.probabilities(x, AllowedActions.ALL, probabilities);
        if (policy.rule().kind() == PolicyKind.SOFTMAX) {
            return probabilities;
        }
        DecisionRule rule = policy.rule();
        double beta = rule.inverseTemperature();
        double deviation = beta * Math.sqrt(rule.variance().orElseThrow() * x.squaredNorm());
        double[] means = new double[ACTIONS];
        policy.model().scores(x, means);
        double[] sums = new double[ACTIONS];
        double mass = 0.0;
        for (int i = 0; i < NODES.length * NODES.length * NODES.length; i++) {
            int[] at = {
                i % NODES.length, i / NODES.length % NODES.length, i / NODES.length / NODES.length
            };
            double total = 0.0;
            double density = 1.0;
            double[] scores = new double[ACTIONS];
            for (int a = 0; a < ACTIONS; a++) {
                scores[a] = StrictMath.exp(beta * means[a] + deviation * NODES[at[a]]);
                total += scores[a];
                density *= DENSITIES[at[a]];
            }
            for (int a = 0; a < ACTIONS; a++) {
                sums[a] += density * scores[a] / total;
            }
            mass += density;
        }
        double floor = rule.explorationFloor();
        for (int a = 0; a < ACTIONS; a++) {
            probabilities[a] = (1.0 - floor) * sums[a] / mass + floor / ACTIONS;
        }
        return probabilities;
    }

    private static final double[] NODES = new double[9];
    private static final double[] DENSITIES = new double[9];

    static {
        for (int i = 0; i < NODES.length; i++) { // ±4 standard deviations by the trapezoidal rule
            NODES[i] = i - 4.0;
            DENSITIES[i] = StrictMath.exp(-0.5 * NODES[i] * NODES[i]);
        }
    }
}
