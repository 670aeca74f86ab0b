package io.counterflow.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.HashedEncoder;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.policy.Split;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

final class ImpressionTest {

    private static final NamedFeatures SECRET =
            new NamedFeatures(
                    List.of(new NamedFeatures.Entry("k", new FeatureValue.Text("secret"))));
    private static final List<NamedAction> TWO =
            List.of(new NamedAction("a", SECRET), new NamedAction("b", NamedFeatures.none()));

    private static FeatureAssembly vectors(int dimension) {
        return FeatureAssembly.ofVectors(dimension, OptionalDouble.empty());
    }

    private static FeatureAssembly names() {
        return FeatureAssembly.ofNames(EncoderSpec.ofBits(6), OptionalDouble.empty());
    }

    private static Impression impression(Context context, Choice choice, OptionalDouble reward) {
        return new Impression(
                "e", "home", 3, 0, Instant.EPOCH, context, choice, RewardRule.none(), reward);
    }

    @Test
    void aVectorIsTheExampleItself() {
        DenseVector x = DenseVector.of(1.0f, 2.0f);
        LoggedExample example =
                impression(new Context.Vector(x), Choice.of(7, 0.25), OptionalDouble.of(1.0))
                        .toExample(vectors(2), List.of());
        assertThat(example).isEqualTo(new LoggedExample(x, 7, 0.25, 1.0, 3));
    }

    @Test
    void namedFeaturesAreEncodedWithTheirOwnActionsOrTheFixedOnes() {
        Impression own =
                impression(
                        new Context.Named(SECRET, TWO), Choice.of(1, 0.5), OptionalDouble.of(0.0));
        Impression fixed =
                impression(
                        new Context.Named(SECRET, List.of()),
                        Choice.of(1, 0.5),
                        OptionalDouble.of(0.0));
        HashedEncoder encoder = new HashedEncoder(EncoderSpec.ofBits(6));
        LoggedExample expected = new LoggedExample(encoder.encode(SECRET, TWO), 1, 0.5, 0.0, 3);
        assertThat(own.toExample(names(), List.of())).isEqualTo(expected);
        assertThat(fixed.toExample(names(), TWO)).isEqualTo(expected);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fixed.toExample(names(), List.of()))
                .withMessageContaining("actions must be given");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fixed.toExample(names(), TWO.subList(0, 1)))
                .withMessage("action must be below 1, the number of actions, got 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> own.toExample(vectors(2), List.of()))
                .withMessageContaining("context must be a vector");
    }

    @Test
    void whatWasAllowedGoesFromTheChoiceToTheExample() {
        AllowedActions allowed = AllowedActions.allBut(0);
        Choice choice =
                new Choice(1, OptionalDouble.of(1.0), PropensityKind.EXACT, List.of(), allowed);
        Impression impression =
                impression(new Context.Named(SECRET, TWO), choice, OptionalDouble.of(1.0));
        assertThat(impression.toExample(names(), List.of()).allowed()).isEqualTo(allowed);
        assertThat(impression.withReward(0.0).choice().allowed()).isEqualTo(allowed);
        assertThat(
                        impression
                                .withPropensity(0.5, PropensityKind.LEARNED)
                                .toExample(names(), List.of())
                                .allowed())
                .isEqualTo(allowed);
    }

    @Test
    void excludedActionsAreAmongThoseOfTheRequest() {
        Choice beyond =
                new Choice(
                        1,
                        OptionalDouble.of(1.0),
                        PropensityKind.EXACT,
                        List.of(),
                        AllowedActions.allBut(2));
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                impression(
                                        new Context.Named(SECRET, TWO),
                                        beyond,
                                        OptionalDouble.empty()))
                .withMessage("excludedActions must be below 2, the number of actions, got 2");
        Impression fixed =
                impression(new Context.Named(SECRET, List.of()), beyond, OptionalDouble.of(1.0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fixed.toExample(names(), TWO))
                .withMessage("excludedActions must be below 2, the number of actions, got 2");
    }

    @Test
    void anExampleNeedsPropensityAndReward() {
        Context context = new Context.Vector(DenseVector.of(1.0f));
        Impression without =
                impression(
                        context,
                        new Choice(
                                0,
                                OptionalDouble.empty(),
                                PropensityKind.EXACT,
                                List.of(),
                                AllowedActions.ALL),
                        OptionalDouble.empty());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> without.toExample(vectors(1), List.of()))
                .withMessageContaining("propensity");
        Impression learned = without.withPropensity(0.5, PropensityKind.LEARNED);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> learned.toExample(vectors(1), List.of()))
                .withMessageContaining("reward");
        assertThat(learned.withReward(1.0).toExample(vectors(1), List.of()).propensity())
                .isEqualTo(0.5);
    }

    @Test
    void aDistributionHasAnEntryForEveryAction() {
        Choice three =
                new Choice(
                        0,
                        OptionalDouble.of(0.5),
                        PropensityKind.EXACT,
                        List.of(0.5, 0.25, 0.25),
                        AllowedActions.ALL);
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                impression(
                                        new Context.Named(SECRET, TWO),
                                        three,
                                        OptionalDouble.empty()))
                .withMessage("distribution must have 2 entries, one for each action, got 3");
    }

    @Test
    void upperBoundsMaySumToMoreThanOne() {
        Choice bound =
                new Choice(
                        0,
                        OptionalDouble.of(0.7),
                        PropensityKind.UPPER_BOUND,
                        List.of(0.7, 0.6),
                        AllowedActions.ALL);
        assertThat(bound.distribution()).containsExactly(0.7, 0.6);
    }

    @Test
    void theChosenActionIsNotExcluded() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                new Choice(
                                        1,
                                        OptionalDouble.of(0.7),
                                        PropensityKind.EXACT,
                                        List.of(),
                                        AllowedActions.allBut(1)))
                .withMessage("excludedActions must not hold the chosen action, got 1");
    }

    @Test
    void anActionThatAPolicyDidNotDrawWasShownForCertain() {
        assertThat(shown(1.0, PropensityKind.EXACT, 2, Optional.empty()).policyAction())
                .hasValue(2);
        for (Executable refused :
                List.<Executable>of(
                        () -> shown(0.5, PropensityKind.EXACT, 2, Optional.empty()),
                        () -> shown(1.0, PropensityKind.ESTIMATED, 2, Optional.empty()))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(refused::execute)
                    .withMessageStartingWith("propensity must be 1 and exact with policyAction");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shown(1.0, PropensityKind.EXACT, 1, Optional.empty()))
                .withMessage("policyAction must not be one of excludedActions, got 1");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                shown(
                                        1.0,
                                        PropensityKind.EXACT,
                                        2,
                                        Optional.of(new Split(0, 1, 0.5))))
                .withMessageStartingWith("policyAction must be absent with a split");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                impression(
                                        new Context.Named(SECRET, TWO),
                                        shown(1.0, PropensityKind.EXACT, 2, Optional.empty()),
                                        OptionalDouble.empty()))
                .withMessageContaining("must be below 2");
    }

    private static Choice shown(
            double propensity, PropensityKind kind, int policyAction, Optional<Split> split) {
        return new Choice(
                0,
                OptionalDouble.of(propensity),
                kind,
                List.of(),
                AllowedActions.allBut(1),
                split,
                false,
                OptionalInt.of(policyAction));
    }

    @Test
    void featureValuesDoNotShowInText() {
        assertThat(
                        impression(
                                        new Context.Named(SECRET, TWO),
                                        Choice.of(0, 0.5),
                                        OptionalDouble.empty())
                                .toString())
                .doesNotContain("secret");
    }

    @Test
    void anExcludedActionHasNoPartInADistribution() {
        List<Double> distribution = List.of(0.5, 0.3, 0.2);
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                new Choice(
                                        0,
                                        OptionalDouble.of(0.5),
                                        PropensityKind.EXACT,
                                        distribution,
                                        AllowedActions.allBut(2)))
                .withMessage("distribution[2] must be 0, because the action is excluded, got 0.2");
    }
}
