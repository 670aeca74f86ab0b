package io.counterflow.core.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.Interaction;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.BayesianSetting;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.objective.Objectives;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LoopSpecTest {

    private static final LoopSpec VECTORS = vectors().build();
    private static final LoopSpec NAMES = LoopSpec.builder("home").names(4).build();
    private static final LinearModel MODEL =
            new DenseModel(new float[][] {{1, 0}, {0, 1}}, new float[] {0, 0.5f});
    private static final DenseVector X = DenseVector.of(3.0f, 4.0f);

    private static LoopSpec.Builder vectors() {
        return LoopSpec.builder("home").vectors(2, "a", "b");
    }

    @Test
    void theFixedActionsMustFitIntoTheFeatureLimit() {
        LoopSpec.Builder spec =
                LoopSpec.builder("home")
                        .names(4)
                        .set(LoopSettings.ACTIONS, LoopShape.unnamed(List.of("a", "b", "c")))
                        .set(LoopSettings.FEATURE_LIMIT, 3L);
        assertThatNoException().isThrownBy(spec::build);
        assertRefused(
                spec.set(LoopSettings.FEATURE_LIMIT, 2L),
                "featureLimit must allow the features of the actions: a request must have at most"
                        + " 2 features with all interactions (featureLimit), got 3");
    }

    private static void assertRefused(LoopSpec.Builder builder, String message) {
        assertThatIllegalArgumentException().isThrownBy(builder::build).withMessage(message);
    }

    // Ranges.

    static List<Setting<?>> numbers() {
        return SettingValues.ofNumbers();
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void theEndsOfARangeBelongToIt(Setting<?> setting) {
        Range range = SettingValues.range(setting);
        double first = range.open() ? Math.nextUp(range.min()) : range.min();
        double last = Math.min(range.max(), Long.MAX_VALUE);
        for (double end : new double[] {first, last}) {
            LoopSpec spec = SettingValues.set(SettingValues.roomFor(setting), setting, end).build();
            assertThat(numberOf(spec.get(setting))).isEqualTo(end);
            // What is derived from it needs no further check.
            Object unused = spec.objective(0);
            spec.optimizer();
            spec.assembly();
        }
    }

    private static double numberOf(Object value) {
        if (value instanceof OptionalDouble optional) {
            return optional.getAsDouble();
        }
        if (value instanceof OptionalLong optional) {
            return optional.getAsLong();
        }
        return ((Number) value).doubleValue();
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void whatIsBelowARangeIsRefused(Setting<?> setting) {
        double min = SettingValues.range(setting).min();
        double below = SettingValues.isWhole(setting) ? min - 1 : Math.nextDown(min);
        assertOutOfRange(setting, SettingValues.range(setting).open() ? min : below);
        assertOutOfRange(setting, below);
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void whatIsAboveARangeIsRefused(Setting<?> setting) {
        double max = SettingValues.range(setting).max();
        if (max < Double.POSITIVE_INFINITY) {
            assertOutOfRange(setting, SettingValues.isWhole(setting) ? max + 1 : Math.nextUp(max));
        }
        if (!SettingValues.isWhole(setting)) {
            assertOutOfRange(setting, Double.POSITIVE_INFINITY);
            assertOutOfRange(setting, Double.NaN);
        }
    }

    private static void assertOutOfRange(Setting<?> setting, double value) {
        String shown =
                SettingValues.isWhole(setting) ? Long.toString((long) value) : Range.show(value);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SettingValues.set(SettingValues.roomFor(setting), setting, value))
                .withMessage("%s must be %s, got %s".formatted(setting, setting.range(), shown));
    }

    @Test
    void optionalNumbersMayBeAbsent() {
        for (Setting<OptionalDouble> setting :
                List.of(LoopSettings.VARIANCE, LoopSettings.NORM_BOUND)) {
            assertThat(VECTORS.get(setting)).isEmpty();
            assertThatNoException().isThrownBy(() -> VECTORS.with(setting, OptionalDouble.empty()));
        }
    }

    @Test
    void durationsAreWholeMillisecondsFromNoneTo365000Days() {
        for (Setting<Duration> setting :
                List.of(LoopSettings.SNAPSHOT_INTERVAL, LoopSettings.ATTRIBUTION_WINDOW)) {
            for (Duration good : List.of(Duration.ZERO, Duration.ofDays(365_000))) {
                assertThat(VECTORS.with(setting, good).get(setting)).isEqualTo(good);
            }
            for (Duration bad : List.of(Duration.ofMillis(-1), Duration.ofDays(365_001))) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> VECTORS.with(setting, bad))
                        .withMessageStartingWith(
                                setting + " must be at least 0s and at most 365000d, got ");
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> VECTORS.with(setting, Duration.ofNanos(1_500_000)))
                    .withMessageStartingWith(setting + " must be whole milliseconds, got ");
        }
    }

    @Test
    void anObjectiveThatNeedsTheWholeSampleIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> VECTORS.with(LoopSettings.OBJECTIVE_NAME, ObjectiveName.POEM_L2))
                .withMessage(
                        "objective must be one of ips-lpr, wnll-lpr, ls-lpr, trust-lpr, ips-l2,"
                                + " bcrm, bcrm-convex, got \"poem-l2\"");
        for (ObjectiveName name : ObjectiveName.ofStreams()) {
            LoopSpec spec =
                    vectors()
                            .set(LoopSettings.OBJECTIVE_NAME, name)
                            .set(LoopSettings.NORM_BOUND, OptionalDouble.of(1))
                            .build();
            assertThat(spec.objective(2).name()).isEqualTo(name.toString());
            assertThat(spec.objective(2).fixedLoss().isPresent())
                    .as("what a stream needs")
                    .isEqualTo(name != ObjectiveName.BCRM); // whose loss has a variance
        }
    }

    @Test
    void noPolicyLogsPropensitiesThatWereLearned() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> VECTORS.with(LoopSettings.PROPENSITY_KIND, PropensityKind.LEARNED))
                .withMessage(
                        "propensityKind must be one of exact, estimated, upperBound, got"
                                + " \"learned\"");
    }

    // Names, versions and times.

    @ParameterizedTest
    @ValueSource(strings = {"", ".a", "-a", "a b", "a/b", "ä", "a\n"})
    void anInvalidNameIsRefused(String loop) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LoopSpec.builder(loop).names(1).build())
                .withMessageStartingWith("loop must be 1 to 200 letters");
    }

    @Test
    void aNameHasAtMost200Characters() {
        assertThat(LoopName.require("a".repeat(200))).hasSize(200);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LoopName.require("a".repeat(201)))
                .withMessageEndingWith("got \"" + "a".repeat(40) + "\"");
    }

    @Test
    void aVersionCountsFromOne() {
        assertThat(VECTORS.version()).isEqualTo(1);
        assertRefused(vectors().at(0, Instant.EPOCH), "version must be at least 1, got 0");
    }

    @Test
    void aTimeIsKeptToTheMicrosecondAndInYearsOfFourDigits() {
        Instant time = Instant.parse("2024-02-29T12:00:00.123456789Z");
        assertThat(vectors().at(2, time).build().time())
                .isEqualTo(Instant.parse("2024-02-29T12:00:00.123456Z"));
        assertRefused(
                vectors().at(2, Instant.MAX),
                "time must be in the years 1 to 9999, got " + Instant.MAX);
    }

    // Settings that do not go together.

    @Test
    void aLoopHasEitherVectorsOrNames() {
        assertRefused(
                LoopSpec.builder("home"),
                "features must be given for context vectors, or bits for named features, got"
                        + " neither");
        assertRefused(
                vectors().names(3),
                "features must be given for context vectors, or bits for named features, got both");
    }

    @Test
    void settingsOfNamedFeaturesAreRefusedWithVectors() {
        assertRefused(
                vectors().set(LoopSettings.INTERACTIONS, List.of()),
                "interactions must be absent where contexts are vectors: give bits for named"
                        + " features");
        assertRefused(
                vectors().set(LoopSettings.ACTION_IDS, false),
                "actionIds must be absent where contexts are vectors: give bits for named"
                        + " features");
        assertRefused(
                vectors().set(LoopSettings.ACTIONS, List.of(new NamedAction("a", quantity(1.0)))),
                "actions must be ids alone where contexts are vectors: give bits for named"
                        + " features");
    }

    private static NamedFeatures quantity(double value) {
        return new NamedFeatures(
                List.of(new NamedFeatures.Entry("x", new FeatureValue.Quantity(value))));
    }

    @Test
    void actionsHaveIdsOfTheirOwn() {
        assertRefused(LoopSpec.builder("home").vectors(2), "actions must be at least 1, got 0");
        assertRefused(
                LoopSpec.builder("home").vectors(2, "a", "b", "a"),
                "actions[2] must be unique, got \"a\" again");
        assertRefused(LoopSpec.builder("home").vectors(2, "a", ""), "actions[1] must not be empty");
        assertRefused(
                LoopSpec.builder("home")
                        .names(4)
                        .set(LoopSettings.ACTIONS, LoopShape.unnamed(List.of("a", "a"))),
                "actions[1].id must be unique, got \"a\" again");
    }

    @Test
    void fixedActionsMustBeOnesThatCanBeHashed() {
        NamedAction broken = new NamedAction("a", quantity(1e300));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NAMES.with(LoopSettings.ACTIONS, List.of(broken)))
                .withMessageStartingWith("actions must have features that can be hashed: ");
        NamedAction good = new NamedAction("a", quantity(1.0));
        assertThat(NAMES.with(LoopSettings.ACTIONS, List.of(good)).fixedActions())
                .containsExactly(good);
        assertThat(VECTORS.fixedActions()).isEmpty();
    }

    @Test
    void aModelMustStayWithinItsLimits() {
        List<NamedAction> many = LoopShape.unnamed(Collections.nCopies(10_001, "a"));
        assertRefused(
                vectors().set(LoopSettings.ACTIONS, many),
                "actions must be at most 10000, got 10001");
        assertRefused(
                LoopSpec.builder("home").vectors(1_000_000, names(100)),
                "actions times features must be at most 67108864, got 100 x 1000000 = 100000000");
        assertRefused(
                LoopSpec.builder("home")
                        .names(4)
                        .set(
                                LoopSettings.INTERACTIONS,
                                Collections.nCopies(1_001, new Interaction("a", "b"))),
                "interactions must be at most 1000, got 1001");
    }

    private static String[] names(int n) {
        return IntStream.range(0, n).mapToObj(i -> "a" + i).toArray(String[]::new);
    }

    @Test
    void aSoftmaxHasExactPropensitiesAndNoVariance() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> VECTORS.with(LoopSettings.PROPENSITY_KIND, PropensityKind.ESTIMATED))
                .withMessageStartingWith("propensityKind must be exact with a softmax, got ");
        assertRefused(
                vectors().set(LoopSettings.VARIANCE, OptionalDouble.of(2)),
                "variance must be absent with a softmax, got 2.0");
    }

    private static LoopSpec.Builder mixedLogit() {
        return vectors()
                .set(LoopSettings.POLICY, PolicyKind.MIXED_LOGIT)
                .set(LoopSettings.PROPENSITY_KIND, PropensityKind.ESTIMATED)
                .set(LoopSettings.VARIANCE, OptionalDouble.of(0.5));
    }

    @Test
    void aMixedLogitHasAVarianceAndNoExactPropensities() {
        assertRefused(
                mixedLogit().set(LoopSettings.VARIANCE, OptionalDouble.empty()),
                "variance must be given with a mixed logit, got none");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        mixedLogit().set(LoopSettings.PROPENSITY_KIND, PropensityKind.EXACT)::build)
                .withMessageStartingWith(
                        "propensityKind must be estimated or upperBound with a mixed logit, which"
                                + " has no exact ones, got ");
    }

    @Test
    void theGateNeedsExactPropensitiesOrBounds() {
        LoopSpec.Builder gated = mixedLogit().set(LoopSettings.ROLLOUT_MODE, RolloutMode.GATED);
        assertRefused(
                gated.set(LoopSettings.PROPENSITY_KIND, PropensityKind.ESTIMATED),
                "propensityKind must be exact or upperBound where rolloutMode is gated, because"
                        + " estimates do not show which version is better, got estimated");
        assertThatNoException()
                .isThrownBy(
                        gated.set(LoopSettings.PROPENSITY_KIND, PropensityKind.UPPER_BOUND)::build);
        for (RolloutMode mode : List.of(RolloutMode.MANUAL, RolloutMode.IMMEDIATE)) {
            assertThatNoException()
                    .isThrownBy(mixedLogit().set(LoopSettings.ROLLOUT_MODE, mode)::build);
        }
    }

    @Test
    void aBufferHoldsAtLeastAMiniBatch() {
        assertThatNoException().isThrownBy(() -> VECTORS.with(LoopSettings.BUFFER_CAPACITY, 100L));
        assertRefused(
                vectors().set(LoopSettings.BUFFER_CAPACITY, 99L),
                "bufferCapacity must be at least the batchSize 100, got 99");
        assertRefused(
                vectors().set(LoopSettings.BATCH_SIZE, 100_001L),
                "bufferCapacity must be at least the batchSize 100001, got 100000");
    }

    // Starting policies.

    private static LoopSpec starting(LoopSpec spec, PolicySnapshot start) {
        return spec.with(LoopSettings.STARTING_POLICY, Optional.of(start));
    }

    @Test
    void aLoopStartsUniformAtVersionZero() {
        assertThat(VECTORS.startingPolicy()).isEmpty();
        assertThat(VECTORS.startingVersion()).isZero();
        assertThat(VECTORS.startingModel()).isEqualTo(DenseModel.zeros(2, 2));
        assertThat(NAMES.startingModel()).isEqualTo(HashedModel.zeros(4));
    }

    @Test
    void aStartingPolicyMustFitTheShape() {
        PolicySnapshot hashed =
                PolicySnapshot.of("x", 1, HashedModel.zeros(4), Optional.of(EncoderSpec.ofBits(4)));
        assertThat(starting(NAMES, hashed).startingVersion()).isEqualTo(1);
        LoopSpec crossed = NAMES.with(LoopSettings.INTERACTIONS, List.of());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> starting(crossed, hashed))
                .withMessage(
                        "startingPolicy must have the loop's shape (4 bits, interactions [],"
                                + " actionIds true), got a hashed model of 4 bits, interactions"
                                + " [*:*], actionIds true");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> starting(VECTORS, hashed))
                .withMessageContaining("must have the loop's shape (2 actions x 2 features)");
        PolicySnapshot dense = PolicySnapshot.of("x", 7, MODEL, Optional.empty());
        assertThat(starting(VECTORS, dense).startingModel()).isSameAs(MODEL);
        assertThat(starting(VECTORS, dense).startingVersion()).isEqualTo(7);
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                starting(
                                        LoopSpec.builder("home").vectors(2, "a", "b", "c").build(),
                                        dense))
                .withMessage(
                        "startingPolicy must have the loop's shape (3 actions x 2 features), got a"
                                + " dense model of 2 actions x 2 features");
    }

    @Test
    void aStartingPolicyMustBeSuitableForLearning() {
        DenseModel largest =
                new DenseModel(new float[][] {{(float) 1e15, 0}, {0, (float) -1e15}}, new float[2]);
        PolicySnapshot last = PolicySnapshot.of("x", 1L << 53, largest, Optional.empty());
        assertThat(starting(VECTORS, last).startingVersion()).isEqualTo(1L << 53);

        DenseModel beyond =
                new DenseModel(new float[][] {{0, 0}, {0, (float) -1.1e15}}, new float[2]);
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                starting(
                                        VECTORS,
                                        PolicySnapshot.of("x", 1, beyond, Optional.empty())))
                .withMessageStartingWith(
                        "startingPolicy must have parameters in [-1e15, 1e15], got -1.0");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                starting(
                                        VECTORS,
                                        PolicySnapshot.of(
                                                "x", (1L << 53) + 1, largest, Optional.empty())))
                .withMessage(
                        "startingPolicy.version must be at most 9007199254740992, got"
                                + " 9007199254740993");
    }

    // Derived values.

    @Test
    void parametersAreCountedWithTheirBiases() {
        for (LoopSpec spec : List.of(VECTORS, NAMES)) {
            LinearModel model = spec.shape().zeros();
            assertThat(spec.shape().parameterCount())
                    .isEqualTo(model.weightCount() + model.biasCount());
        }
    }

    @Test
    void theLearnerUsesTheSpec() {
        LoopSpec spec =
                vectors()
                        .set(LoopSettings.OBJECTIVE_NAME, ObjectiveName.LS_LPR)
                        .set(LoopSettings.LAMBDA, 0.25)
                        .set(LoopSettings.SMOOTHING, 0.3)
                        .set(LoopSettings.EXPLORATION_FLOOR, 0.2)
                        .set(LoopSettings.LEARNING_RATE, 0.4)
                        .set(LoopSettings.ADA_GRAD_SMOOTHING, 0.6)
                        .build();
        assertThat(spec.objective(2))
                .isEqualTo(Objectives.lsLpr(0.3, 0.25).withSoftmaxShare(1.0 - 0.2));
        assertThat(spec.optimizer()).isEqualTo(new AdaGrad(0.4, 0.6));
        LoopSpec truncated =
                vectors()
                        .set(LoopSettings.OBJECTIVE_NAME, ObjectiveName.IPS_L2)
                        .set(LoopSettings.TAU, 0.02)
                        .set(LoopSettings.EXPLORATION_FLOOR, 0.0)
                        .build();
        assertThat(truncated.objective(2)).isEqualTo(Objectives.ipsL2(0.02, 1e-6));
    }

    @Test
    void theJoinUsesTheSpec() {
        LoopSpec spec =
                vectors()
                        .set(LoopSettings.ATTRIBUTION_WINDOW, Duration.ofSeconds(30))
                        .set(LoopSettings.DEFAULT_REWARD, 0.125)
                        .set(LoopSettings.REWARD_AGGREGATION, RewardAggregation.MAX)
                        .build();
        assertThat(spec.rewardRule())
                .isEqualTo(
                        new RewardRule(
                                Duration.ofSeconds(30), 0.125, RewardAggregation.MAX, false));
    }

    @Test
    void temperatureAndFloorAreServed() {
        LoopSpec spec =
                vectors()
                        .set(LoopSettings.INVERSE_TEMPERATURE, 2.0)
                        .set(LoopSettings.EXPLORATION_FLOOR, 0.1)
                        .build();
        assertThat(spec.decisionRule()).isEqualTo(DecisionRule.softmax(2.0, 0.1));
        double[] served = new double[2];
        spec.policyOf(MODEL).probabilities(X, AllowedActions.ALL, served);
        // Scores are 3 and 4.5, so the odds of the second are exp(2 · 1.5).
        double second = 1.0 / (1.0 + Math.exp(-3.0));
        assertThat(served[1]).isCloseTo(0.9 * second + 0.05, within(1e-12));
    }

    @Test
    void aMixedLogitDecidesWithPropensitiesOfItsKind() {
        for (PropensityKind kind : List.of(PropensityKind.ESTIMATED, PropensityKind.UPPER_BOUND)) {
            LoopSpec spec = mixedLogit().set(LoopSettings.PROPENSITY_KIND, kind).build();
            assertThat(
                            spec.policyOf(MODEL)
                                    .decide(X, AllowedActions.ALL, EventRandom.named("e-1"))
                                    .kind())
                    .isEqualTo(kind);
            assertThat(spec.decisionRule().variance()).hasValue(0.5);
        }
        LoopSpec draws = mixedLogit().set(LoopSettings.PROPENSITY_DRAWS, 7L).build();
        assertThat(draws.decisionRule().propensityDraws()).isEqualTo(7);
    }

    private static LoopSpec.Builder bayesian() {
        return vectors()
                .set(LoopSettings.OBJECTIVE_NAME, ObjectiveName.BCRM)
                .set(LoopSettings.NORM_BOUND, OptionalDouble.of(2));
    }

    @Test
    void aBayesianObjectiveNeedsANormBound() {
        assertRefused(
                bayesian().set(LoopSettings.NORM_BOUND, OptionalDouble.empty()),
                "normBound must be given with the objective bcrm, which depends on the largest norm"
                        + " of the features, got none");
    }

    @Test
    void theConstantsOfABayesianObjectiveComeFromTheSpec() {
        LoopSpec vectors =
                bayesian()
                        .set(LoopSettings.PRIOR_VARIANCE, 0.25)
                        .set(LoopSettings.TAU, 0.1)
                        .set(LoopSettings.INVERSE_TEMPERATURE, 3.0)
                        .build();
        // Two actions with two weights and a bias each, and a constant feature for the bias.
        assertThat(vectors.bayesian(50))
                .isEqualTo(new BayesianSetting(50, 0.1, 0.25, 3.0 * Math.sqrt(5.0), 6));
        assertThat(vectors.bayesian(0).examples()).isEqualTo(2);
        assertThat(vectors.objective(50).strength()).isEqualTo(vectors.bayesian(50).strength());
        LoopSpec names =
                NAMES.toBuilder()
                        .set(LoopSettings.OBJECTIVE_NAME, ObjectiveName.BCRM_CONVEX)
                        .set(LoopSettings.NORM_BOUND, OptionalDouble.of(2))
                        .build();
        assertThat(names.bayesian(9)).isEqualTo(new BayesianSetting(9, 0.01, 1.0, 2.0, 16));
    }

    @Test
    void aMixedLogitWithoutVarianceIsServedWithThatOfTheVersion() {
        LoopSpec spec =
                bayesian()
                        .set(LoopSettings.PRIOR_VARIANCE, 0.3)
                        .set(LoopSettings.POLICY, PolicyKind.MIXED_LOGIT)
                        .set(LoopSettings.PROPENSITY_KIND, PropensityKind.UPPER_BOUND)
                        .build();
        assertThat(spec.hasLearnedVariance()).isTrue();
        assertThat(spec.decisionRule(OptionalDouble.of(0.2)).variance()).hasValue(0.2);
        assertThat(spec.decisionRule(OptionalDouble.empty()).variance()).hasValue(0.3);
        PolicySnapshot start =
                new PolicySnapshot(
                        "home",
                        3,
                        OptionalLong.empty(),
                        Instant.EPOCH,
                        MODEL,
                        Optional.empty(),
                        DecisionRule.PLAIN,
                        OptionalDouble.of(0.1),
                        OptionalDouble.empty(),
                        Training.none(),
                        Optional.empty());
        LoopSpec started = spec.with(LoopSettings.STARTING_POLICY, Optional.of(start));
        assertThat(started.policyOf(started.startingParameters()).rule().variance()).hasValue(0.1);
        LoopSpec fixed = spec.with(LoopSettings.VARIANCE, OptionalDouble.of(0.5));
        assertThat(fixed.hasLearnedVariance()).isFalse();
        assertThat(fixed.decisionRule(OptionalDouble.of(0.2)).variance()).hasValue(0.5);
        assertRefused(
                spec.toBuilder().set(LoopSettings.OBJECTIVE_NAME, ObjectiveName.IPS_LPR),
                "variance must be given with a mixed logit, got none");
    }

    @Test
    void theNormBoundIsEnforcedOnVectorsAndOnNamedFeatures() {
        LoopSpec vectors = VECTORS.with(LoopSettings.NORM_BOUND, OptionalDouble.of(1));
        Context vector = new Context.Vector(X);
        assertThat(features(vectors, vector).maxSquaredNorm()).isLessThanOrEqualTo(1.0);
        assertThat(features(VECTORS, vector)).isSameAs(X);
        NamedFeatures loud = quantity(50.0);
        Context named = new Context.Named(loud, List.of(new NamedAction("a", loud)));
        LoopSpec names = NAMES.with(LoopSettings.NORM_BOUND, OptionalDouble.of(2));
        assertThat(features(names, named).maxSquaredNorm()).isLessThanOrEqualTo(4.0);
        assertThat(features(NAMES, named).maxSquaredNorm()).isGreaterThan(4.0);
        assertThatIllegalArgumentException().isThrownBy(() -> features(vectors, named));
    }

    private static Features features(LoopSpec spec, Context context) {
        return spec.assembly().features(context, spec.fixedActions());
    }

    @Test
    void theEncoderIsThatOfTheShape() {
        assertThat(VECTORS.encoder()).isEmpty();
        assertThat(NAMES.encoder()).contains(EncoderSpec.ofBits(4));
        Interaction only = new Interaction("user", "*");
        LoopSpec crossed =
                NAMES.toBuilder()
                        .set(LoopSettings.INTERACTIONS, List.of(only))
                        .set(LoopSettings.ACTION_IDS, false)
                        .build();
        assertThat(crossed.encoder()).contains(new EncoderSpec(4, List.of(only), false));
    }

    // Values.

    @Test
    void aSpecWithOneSettingChangedKeepsAllOthers() {
        EventRandom random = new EventRandom(5);
        for (Setting<?> setting : LoopSettings.ALL) {
            if (setting == LoopSettings.POLICY) {
                continue; // changes together with others
            }
            LoopSpec before =
                    SettingValues.roomFor(setting).at(6, Instant.EPOCH.plusSeconds(1)).build();
            LoopSpec after = SettingValues.changed(before, setting, random);
            assertThat(after.version()).isEqualTo(6);
            assertThat(after.time()).isEqualTo(before.time());
            assertThat(after.loop()).isEqualTo("loop");
            for (Setting<?> other : LoopSettings.ALL) {
                Object value = after.get(other);
                if (other == setting) {
                    assertThat(value).isNotEqualTo(before.get(other));
                } else {
                    assertThat(value)
                            .as("%s after %s", other, setting)
                            .isEqualTo(before.get(other));
                }
            }
        }
    }

    @Test
    void specsAreEqualWhereEverythingIs() {
        EventRandom random = new EventRandom(6);
        for (Setting<?> setting : LoopSettings.ALL) {
            LoopSpec spec = SettingValues.roomFor(setting).build();
            LoopSpec same = SettingValues.roomFor(setting).build();
            assertThat(same).isEqualTo(spec).hasSameHashCodeAs(spec).isNotSameAs(spec);
            assertThat(spec.toBuilder().build()).isEqualTo(spec);
            LoopSpec other = SettingValues.changed(spec, setting, random);
            assertThat(other).as(setting.name()).isNotEqualTo(spec);
            assertThat(other.hasSettingsOf(spec)).as(setting.name()).isFalse();
        }
        assertThat(LoopSpec.builder("away").vectors(2, "a", "b").build()).isNotEqualTo(VECTORS);
        LoopSpec later = VECTORS.toBuilder().at(2, Instant.EPOCH).build();
        assertThat(later).isNotEqualTo(VECTORS);
        assertThat(vectors().at(1, Instant.EPOCH.plusSeconds(1)).build()).isNotEqualTo(VECTORS);
        assertThat(later.hasSettingsOf(VECTORS)).isTrue();
    }

    @Test
    void aBuilderThatIsUsedAgainDoesNotChangeWhatItHasBuilt() {
        LoopSpec.Builder builder = vectors();
        LoopSpec first = builder.build();
        builder.set(LoopSettings.LAMBDA, 0.5);
        assertThat(first.get(LoopSettings.LAMBDA)).isEqualTo(1e-6);
        first.toBuilder().set(LoopSettings.LAMBDA, 0.25);
        assertThat(first).isEqualTo(VECTORS);
    }

    @Test
    void aTextOfASpecHasNoFeatures() {
        LoopSpec spec =
                LoopSpec.builder("home")
                        .names(4)
                        .set(
                                LoopSettings.ACTIONS,
                                List.of(new NamedAction("secret", quantity(1.0))))
                        .at(3, Instant.EPOCH)
                        .build();
        assertThat(spec).hasToString("spec 3 of loop home");
    }
}
