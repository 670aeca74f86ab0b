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

final class PolicyLawTest {

    private static final int DRAWS = 20_000;

    /** Every kind of policy over both kinds of model, with features, for drawn numbers. */
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
        double epsilon = random.nextDouble();
        return Stream.of(
                Arguments.of(seed, new SoftmaxPolicy(dense), x),
                Arguments.of(seed, new SoftmaxPolicy(hashed), phi),
                Arguments.of(seed, new ArgmaxPolicy(dense), x),
                Arguments.of(seed, new ArgmaxPolicy(hashed), phi),
                Arguments.of(seed, new UniformPolicy(actions), x),
                Arguments.of(seed, new ExplorationFloor(new SoftmaxPolicy(dense), epsilon), x),
                Arguments.of(seed, new ExplorationFloor(new ArgmaxPolicy(hashed), epsilon), phi));
    }

    static Stream<Arguments> softmaxCases() {
        return drawnCases().filter(drawn -> drawn.get()[1] instanceof SoftmaxPolicy);
    }

    /** About every third action excluded, but never all. */
    private static AllowedActions drawAllowed(int actions, EventRandom random) {
        boolean[] excluded = new boolean[actions];
        for (int a = 0; a < actions; a++) {
            excluded[a] = random.nextInt(3) == 0;
        }
        excluded[random.nextInt(actions)] = false;
        return AllowedActions.excluding(excluded);
    }

    @ParameterizedTest
    @MethodSource("drawnCases")
    void probabilitiesSumToOneAndOnlyAllowedActionsHaveAny(long seed, Policy policy, Features x) {
        AllowedActions allowed = drawAllowed(policy.actionCount(x), new EventRandom(seed));
        assertThat(sum(DrawnModels.probabilities(policy, x))).isCloseTo(1.0, within(1e-14));
        double[] restricted = DrawnModels.probabilities(policy, x, allowed);
        assertThat(sum(restricted)).isCloseTo(1.0, within(1e-14));
        for (int a = 0; a < restricted.length; a++) {
            if (!allowed.contains(a)) {
                assertThat(restricted[a]).isZero();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("drawnCases")
    void allowingAllActionsChangesNothing(long seed, Policy policy, Features x) {
        AllowedActions all = AllowedActions.all(policy.actionCount(x));
        assertThat(DrawnModels.probabilities(policy, x, all))
                .as("seed %d", seed)
                .containsExactly(DrawnModels.probabilities(policy, x), within(1e-15));
    }

    @ParameterizedTest
    @MethodSource("drawnCases")
    void drawsComeAsOftenAsTheirProbabilitySays(long seed, Policy policy, Features x) {
        EventRandom random = new EventRandom(~seed);
        int[] counts = new int[policy.actionCount(x)];
        for (int i = 0; i < DRAWS; i++) {
            counts[policy.decide(x, random).action()]++;
        }
        ChiSquare.assertFits(counts, DrawnModels.probabilities(policy, x), "seed " + seed);
    }

    @ParameterizedTest
    @MethodSource("drawnCases")
    void drawsAmongAllowedActionsComeAsOftenAsTheirProbabilitySays(
            long seed, Policy policy, Features x) {
        EventRandom random = new EventRandom(~seed);
        AllowedActions allowed = drawAllowed(policy.actionCount(x), random);
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
        for (int i = 0; i < 20; i++) {
            String eventId = "event-" + seed + "-" + i;
            Decision decision = policy.decide(x, EventRandom.of(eventId));
            double[] probabilities = DrawnModels.probabilities(policy, x);
            assertThat(decision.distribution()).containsExactly(probabilities, within(1e-15));
            assertThat(decision.propensity())
                    .isEqualTo(decision.distribution()[decision.action()])
                    .isPositive();
            assertThat(decision.kind()).isEqualTo(PropensityKind.EXACT);
            assertThat(policy.decide(x, EventRandom.of(eventId))).isEqualTo(decision);
        }
    }

    @ParameterizedTest
    @MethodSource("drawnCases")
    void aFloorIsAnExactMixture(long seed, Policy policy, Features x) {
        double epsilon = new EventRandom(seed).nextDouble();
        double[] base = DrawnModels.probabilities(policy, x);
        double[] floored = DrawnModels.probabilities(new ExplorationFloor(policy, epsilon), x);
        for (int a = 0; a < base.length; a++) {
            assertThat(floored[a])
                    .isCloseTo((1.0 - epsilon) * base[a] + epsilon / base.length, within(1e-15))
                    .isGreaterThanOrEqualTo(epsilon / base.length);
        }
        assertThat(DrawnModels.probabilities(new ExplorationFloor(policy, 0.0), x))
                .containsExactly(base);
    }

    @ParameterizedTest
    @MethodSource("softmaxCases")
    void aSoftmaxAmongAllowedActionsIsRenormalised(long seed, SoftmaxPolicy policy, Features x) {
        AllowedActions allowed = drawAllowed(policy.actionCount(x), new EventRandom(seed));
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
    void theColderTheSoftmaxTheSurer(long seed, SoftmaxPolicy policy, Features x) {
        double highestBefore = 0.0;
        for (double beta : List.of(0.0, 0.5, 1.0, 2.0, 1e6)) {
            SoftmaxPolicy scaled = new SoftmaxPolicy(policy.model().scaled(beta));
            double[] probabilities = DrawnModels.probabilities(scaled, x);
            double highest = Arrays.stream(probabilities).max().orElseThrow();
            assertThat(highest).as("seed %d", seed).isGreaterThanOrEqualTo(highestBefore);
            highestBefore = highest;
        }
    }

    @ParameterizedTest
    @MethodSource("softmaxCases")
    void anInverseTemperatureOfZeroIsUniformAndOneChangesNothing(
            long seed, SoftmaxPolicy policy, Features x) {
        double[] uniform = new double[policy.actionCount(x)];
        Arrays.fill(uniform, 1.0 / uniform.length);
        SoftmaxPolicy infinitelyHot = new SoftmaxPolicy(policy.model().scaled(0.0));
        SoftmaxPolicy same = new SoftmaxPolicy(policy.model().scaled(1.0));
        assertThat(DrawnModels.probabilities(infinitelyHot, x))
                .as("seed %d", seed)
                .containsExactly(uniform);
        assertThat(DrawnModels.probabilities(same, x))
                .containsExactly(DrawnModels.probabilities(policy, x));
    }

    @Test
    void aScoreThatUnderflowsIsStillRightWhenWhatIsAboveItIsExcluded() {
        DenseModel model = new DenseModel(new float[3][0], new float[] {0f, -800f, -900f});
        AllowedActions allowed = AllowedActions.allBut(3, 0);
        DenseVector x = DenseVector.of();
        assertThat(DrawnModels.probabilities(new SoftmaxPolicy(model), x, allowed))
                .containsExactly(new double[] {0.0, 1.0, 0.0}, within(1e-40));
        assertThat(DrawnModels.probabilities(new ArgmaxPolicy(model), x, allowed))
                .containsExactly(0.0, 1.0, 0.0);
    }

    @Test
    void theFirstOfEqualScoresIsTheArgmax() {
        DenseModel model = new DenseModel(new float[4][0], new float[] {-1f, 2f, 2f, 0f});
        ArgmaxPolicy argmax = new ArgmaxPolicy(model);
        assertThat(DrawnModels.probabilities(argmax, DenseVector.of())).containsExactly(0, 1, 0, 0);
    }

    @Test
    void aPolicyOfNothingButProbabilitiesIsUniformWhereItHasNoneLeft() {
        Policy first = new OnlyFirst();
        AllowedActions others = AllowedActions.allBut(3, 0);
        assertThat(DrawnModels.probabilities(first, DenseVector.of(), others))
                .containsExactly(0.0, 0.5, 0.5);
        assertThat(DrawnModels.probabilities(first, DenseVector.of(), AllowedActions.allBut(3, 1)))
                .containsExactly(1.0, 0.0, 0.0);
    }

    private record OnlyFirst() implements Policy {
        @Override
        public int actionCount(Features features) {
            return 3;
        }

        @Override
        public void probabilities(Features features, double[] probabilities) {
            Arrays.fill(probabilities, 0.0);
            probabilities[0] = 1.0;
        }
    }

    @Test
    void refusesWhatDoesNotFit() {
        DenseModel model = DrawnModels.dense(3, 2, 1.0, 1);
        SoftmaxPolicy policy = new SoftmaxPolicy(model);
        DenseVector x = DenseVector.of(1f, 2f);
        assertThatThrownBy(() -> new ExplorationFloor(policy, Double.NaN))
                .hasMessage("epsilon must be in [0, 1], got NaN");
        assertThatThrownBy(() -> policy.decide(x, AllowedActions.all(4), new EventRandom(1)))
                .hasMessage("allowed actions are out of 4, but the policy has 3 to choose from");
        assertThatThrownBy(() -> AllowedActions.allBut(2, 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("at least 1 action must be allowed, got 2 actions, all excluded");
        assertThatThrownBy(() -> AllowedActions.allBut(2, 2))
                .hasMessage("excluded action must be in [0, 2), got 2");
        assertThatThrownBy(() -> policy.decide(DenseVector.of(1f), new EventRandom(1)))
                .hasMessage("context has 1 features but the model has 2");
        DenseModel huge =
                new DenseModel(new float[][] {{Float.MAX_VALUE}, {-1f}}, new float[] {0f, 0f});
        for (Policy p : List.of(new SoftmaxPolicy(huge), new ArgmaxPolicy(huge))) {
            assertThatThrownBy(() -> p.decide(DenseVector.of(2f), new EventRandom(1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("must be finite, got Infinity");
        }
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
