package io.counterflow.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.ChiSquare;
import io.counterflow.core.numeric.EventRandom;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Laws of softmax policies; counts are tested by chi-square. */
final class PolicyLawTest {

    private static final int DRAWS = 20_000;

    /** Both kinds of model with features, and every kind of rule, for drawn numbers. */
    static Stream<Arguments> drawnCases() {
        return Stream.iterate(0L, seed -> seed + 1).limit(20).flatMap(PolicyLawTest::cases);
    }

    private static Stream<Arguments> cases(long seed) {
        EventRandom random = new EventRandom(seed);
        int actions = 1 + random.nextInt(8);
        DenseModel dense = DrawnModels.dense(actions, 5, 1.0, random.nextLong());
        HashedModel hashed = DrawnModels.hashed(1.0, random);
        DenseVector x = DrawnModels.context(5, random);
        ActionFeatures phi = DrawnModels.rows(actions, random);
        double beta = 3.0 * random.nextDouble();
        double epsilon = random.nextDouble();
        return Stream.of(
                        DecisionRule.PLAIN,
                        DecisionRule.softmax(beta, 0.0),
                        DecisionRule.softmax(1.0, epsilon),
                        DecisionRule.softmax(beta, epsilon),
                        DecisionRule.softmax(beta, 1.0))
                .flatMap(
                        rule ->
                                Stream.of(
                                        Arguments.of(seed, new Policy(dense, rule), x),
                                        Arguments.of(seed, new Policy(hashed, rule), phi)));
    }

    /** Those without a floor. */
    static Stream<Arguments> softmaxCases() {
        return drawnCases()
                .filter(drawn -> ((Policy) drawn.get()[1]).rule().explorationFloor() == 0.0);
    }

    @ParameterizedTest
    @MethodSource("drawnCases")
    void probabilitiesSumToOneAndOnlyAllowedActionsHaveAny(long seed, Policy policy, Features x) {
        int actions = policy.actionCount(x);
        AllowedActions allowed = DrawnModels.allowed(actions, new EventRandom(seed));
        double floor = policy.rule().explorationFloor();
        assertThat(sum(DrawnModels.probabilities(policy, x))).isCloseTo(1.0, within(1e-14));
        double[] restricted = DrawnModels.probabilities(policy, x, allowed);
        assertThat(sum(restricted)).isCloseTo(1.0, within(1e-14));
        for (int a = 0; a < restricted.length; a++) {
            if (allowed.contains(a)) {
                assertThat(restricted[a]).isGreaterThanOrEqualTo(floor / allowed.count(actions));
            } else {
                assertThat(restricted[a]).isZero();
            }
        }
    }

    /** π written out: (1 − ε) exp(β s) / Σ exp(β s) + ε/n over the allowed actions. */
    @ParameterizedTest
    @MethodSource("drawnCases")
    void probabilitiesAreThoseOfTheDefinition(long seed, Policy policy, Features x) {
        int actions = policy.actionCount(x);
        AllowedActions allowed = DrawnModels.allowed(actions, new EventRandom(seed));
        double[] scores = new double[actions];
        policy.model().scores(x, scores);
        double sum = 0.0;
        int n = 0;
        for (int a = 0; a < actions; a++) {
            if (allowed.contains(a)) {
                sum += StrictMath.exp(policy.rule().inverseTemperature() * scores[a]);
                n++;
            }
        }
        double[] actual = DrawnModels.probabilities(policy, x, allowed);
        double epsilon = policy.rule().explorationFloor();
        for (int a = 0; a < actions; a++) {
            double e = StrictMath.exp(policy.rule().inverseTemperature() * scores[a]);
            double expected = allowed.contains(a) ? (1.0 - epsilon) * e / sum + epsilon / n : 0.0;
            assertThat(actual[a])
                    .as("seed %d, action %d", seed, a)
                    .isCloseTo(expected, within(1e-14));
        }
    }

    @ParameterizedTest
    @MethodSource("drawnCases")
    void onlyTheHeadOfTheArrayIsWritten(long seed, Policy policy, Features x) {
        int actions = policy.actionCount(x);
        AllowedActions allowed = DrawnModels.allowed(actions, new EventRandom(seed));
        double[] longer = new double[actions + 2];
        Arrays.fill(longer, 7.0);
        policy.probabilities(x, allowed, longer);
        assertThat(Arrays.copyOf(longer, actions))
                .containsExactly(DrawnModels.probabilities(policy, x, allowed));
        assertThat(longer[actions]).isEqualTo(7.0);
        assertThat(longer[actions + 1]).isEqualTo(7.0);
    }

    @ParameterizedTest
    @MethodSource("drawnCases")
    void drawsComeAsOftenAsTheirProbabilitySays(long seed, Policy policy, Features x) {
        EventRandom random = new EventRandom(~seed);
        int[] counts = new int[policy.actionCount(x)];
        for (int i = 0; i < DRAWS; i++) {
            counts[policy.decide(x, AllowedActions.ALL, random).action()]++;
        }
        ChiSquare.assertFits(counts, DrawnModels.probabilities(policy, x), "seed " + seed);
    }

    @ParameterizedTest
    @MethodSource("drawnCases")
    void drawsAmongAllowedActionsComeAsOftenAsTheirProbabilitySays(
            long seed, Policy policy, Features x) {
        EventRandom random = new EventRandom(~seed);
        AllowedActions allowed = DrawnModels.allowed(policy.actionCount(x), random);
        int[] counts = new int[policy.actionCount(x)];
        for (int i = 0; i < DRAWS; i++) {
            counts[policy.decide(x, allowed, random).action()]++;
        }
        double[] probabilities = DrawnModels.probabilities(policy, x, allowed);
        ChiSquare.assertFits(counts, probabilities, "seed " + seed);
    }

    @ParameterizedTest
    @MethodSource("drawnCases")
    void aDecisionStatesTheProbabilityOfItsActionAndIsTheSameAgain(
            long seed, Policy policy, Features x) {
        AllowedActions allowed = DrawnModels.allowed(policy.actionCount(x), new EventRandom(seed));
        for (int i = 0; i < 20; i++) {
            String eventId = "event-" + seed + "-" + i;
            Decision decision = policy.decide(x, allowed, EventRandom.named(eventId));
            assertThat(decision.distribution())
                    .containsExactly(DrawnModels.probabilities(policy, x, allowed));
            assertThat(decision.propensity())
                    .isEqualTo(decision.distribution()[decision.action()])
                    .isPositive();
            assertThat(decision.kind()).isEqualTo(PropensityKind.EXACT);
            assertThat(policy.decide(x, allowed, EventRandom.named(eventId))).isEqualTo(decision);
        }
    }

    @ParameterizedTest
    @MethodSource("softmaxCases")
    void aFloorIsAnExactMixture(long seed, Policy policy, Features x) {
        int actions = policy.actionCount(x);
        EventRandom random = new EventRandom(seed);
        double epsilon = random.nextDouble();
        AllowedActions allowed = DrawnModels.allowed(actions, random);
        double[] base = DrawnModels.probabilities(policy, x, allowed);
        DecisionRule rule = DecisionRule.softmax(policy.rule().inverseTemperature(), epsilon);
        double[] floored = DrawnModels.probabilities(new Policy(policy.model(), rule), x, allowed);
        int n = allowed.count(actions);
        for (int a = 0; a < base.length; a++) {
            double expected = allowed.contains(a) ? (1.0 - epsilon) * base[a] + epsilon / n : 0.0;
            assertThat(floored[a]).as("seed %d", seed).isEqualTo(Math.min(1.0, expected));
        }
    }

    @ParameterizedTest
    @MethodSource("softmaxCases")
    void aSoftmaxAmongAllowedActionsIsRenormalised(long seed, Policy policy, Features x) {
        AllowedActions allowed = DrawnModels.allowed(policy.actionCount(x), new EventRandom(seed));
        double[] base = DrawnModels.probabilities(policy, x);
        double left = 0.0;
        for (int a = 0; a < base.length; a++) {
            left += allowed.contains(a) ? base[a] : 0.0;
        }
        double[] restricted = DrawnModels.probabilities(policy, x, allowed);
        for (int a = 0; a < base.length; a++) {
            double expected = allowed.contains(a) ? base[a] / left : 0.0;
            assertThat(restricted[a]).isCloseTo(expected, within(1e-14));
        }
    }

    @ParameterizedTest
    @MethodSource("softmaxCases")
    void aColderSoftmaxIsMoreDeterministic(long seed, Policy policy, Features x) {
        double highestBefore = 0.0;
        for (double beta : List.of(0.0, 0.5, 1.0, 2.0, 1e6)) {
            Policy scaled = new Policy(policy.model(), DecisionRule.softmax(beta, 0.0));
            double highest =
                    Arrays.stream(DrawnModels.probabilities(scaled, x)).max().orElseThrow();
            assertThat(highest).as("seed %d", seed).isGreaterThanOrEqualTo(highestBefore);
            highestBefore = highest;
        }
    }

    /** The model's weights are floats, so scaling by a power of 2 rounds nothing. */
    @ParameterizedTest
    @MethodSource("drawnCases")
    void anInverseTemperatureMultipliesTheModel(long seed, Policy policy, Features x) {
        double epsilon = policy.rule().explorationFloor();
        for (double beta : List.of(0.0, 0.25, 4.0)) {
            Policy byRule = new Policy(policy.model(), DecisionRule.softmax(beta, epsilon));
            Policy byModel =
                    new Policy(policy.model().scaled(beta), DecisionRule.softmax(1.0, epsilon));
            assertThat(DrawnModels.probabilities(byRule, x))
                    .as("seed %d, beta %s", seed, beta)
                    .containsExactly(DrawnModels.probabilities(byModel, x));
        }
    }

    @ParameterizedTest
    @MethodSource("drawnCases")
    void anInverseTemperatureOfZeroIsUniformAmongAllowedActions(
            long seed, Policy policy, Features x) {
        int actions = policy.actionCount(x);
        AllowedActions allowed = DrawnModels.allowed(actions, new EventRandom(seed));
        double[] uniform = new double[actions];
        for (int a = 0; a < actions; a++) {
            uniform[a] = allowed.contains(a) ? 1.0 / allowed.count(actions) : 0.0;
        }
        Policy infinitelyHot = new Policy(policy.model(), DecisionRule.softmax(0.0, 0.0));
        assertThat(DrawnModels.probabilities(infinitelyHot, x, allowed))
                .as("seed %d", seed)
                .containsExactly(uniform);
        assertThat(DrawnModels.probabilities(Policy.uniform(policy.model()), x, allowed))
                .containsExactly(uniform);
        Policy floor = new Policy(policy.model(), DecisionRule.softmax(1.0, 1.0));
        assertThat(DrawnModels.probabilities(floor, x, allowed)).containsExactly(uniform);
    }

    @Test
    void aScoreThatUnderflowsIsStillRightWhenWhatIsAboveItIsExcluded() {
        DenseModel model = new DenseModel(new float[3][0], new float[] {0f, -800f, -900f});
        assertThat(
                        DrawnModels.probabilities(
                                Policy.softmax(model), DenseVector.of(), AllowedActions.allBut(0)))
                .containsExactly(new double[] {0.0, 1.0, 0.0}, within(1e-40));
    }

    @Test
    void theProbabilitiesOfAMixedLogitAreThoseOfItsMean() {
        DenseModel model = DrawnModels.dense(3, 2, 1.0, 1);
        DenseVector x = DenseVector.of(1f, 2f);
        DecisionRule rule = MixedLogitDecisionTest.estimating(2.0, 0.1, 0.5, 10);
        assertThat(DrawnModels.probabilities(new Policy(model, rule), x))
                .containsExactly(
                        DrawnModels.probabilities(
                                new Policy(model, DecisionRule.softmax(2.0, 0.1)), x));
    }

    @Test
    void refusesWhatDoesNotFit() {
        Policy policy = Policy.softmax(DrawnModels.dense(3, 2, 1.0, 1));
        DenseVector x = DenseVector.of(1f, 2f);
        assertThatThrownBy(() -> policy.decide(x, AllowedActions.allBut(3), new EventRandom(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("excludedActions must be below 3, the number of actions, got 3");
        assertThatThrownBy(
                        () ->
                                policy.probabilities(
                                        x, AllowedActions.allBut(0, 1, 2), new double[3]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("excludedActions must leave at least 1 action, got all 3");
        assertThatThrownBy(
                        () ->
                                policy.decide(
                                        DenseVector.of(1f), AllowedActions.ALL, new EventRandom(1)))
                .hasMessage("context has 1 features but the model has 2");
        Policy huge =
                Policy.softmax(
                        new DenseModel(
                                new float[][] {{Float.MAX_VALUE}, {-1f}}, new float[] {0f, 0f}));
        assertThatThrownBy(
                        () ->
                                huge.decide(
                                        DenseVector.of(2f), AllowedActions.ALL, new EventRandom(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be finite, got Infinity");
    }

    private static double sum(double[] values) {
        double sum = 0.0;
        for (double value : values) {
            assertThat(value).isBetween(0.0, 1.0);
            sum += value;
        }
        return sum;
    }
}
