package io.counterflow.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.policy.PropensityKind;
import java.time.Instant;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

final class ImpressionTest {

    private static final NamedFeatures SECRET =
            new NamedFeatures(
                    List.of(new NamedFeatures.Entry("k", new FeatureValue.Text("secret"))));
    private static final List<NamedAction> TWO =
            List.of(new NamedAction("a", SECRET), new NamedAction("b", NamedFeatures.none()));

    /** Counts actions, as a stand-in for hashing. */
    private static final NamedEncoder ENCODER =
            (context, actions) ->
                    new ActionFeatures(1, new int[actions.size() + 1], new int[0], new float[0]);

    private static Impression impression(Context context, Choice choice, OptionalDouble reward) {
        return new Impression(
                "e", "home", 3, 0, Instant.EPOCH, context, choice, RewardRule.none(), reward);
    }

    @Test
    void aVectorIsTheExampleItself() {
        DenseVector x = DenseVector.of(1.0f, 2.0f);
        LoggedExample example =
                impression(new Context.Vector(x), Choice.of(7, 0.25), OptionalDouble.of(1.0))
                        .toExample(NamedEncoder.none(), List.of());
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
        assertThat(((ActionFeatures) own.features(ENCODER, List.of())).actions()).isEqualTo(2);
        assertThat(((ActionFeatures) fixed.features(ENCODER, TWO)).actions()).isEqualTo(2);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fixed.features(ENCODER, List.of()))
                .withMessageContaining("actions must be given");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fixed.features(ENCODER, TWO.subList(0, 1)))
                .withMessageContaining("action must be below 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> own.features(NamedEncoder.none(), List.of()))
                .withMessageContaining("context must be a vector");
    }

    @Test
    void anExampleNeedsPropensityAndReward() {
        Context context = new Context.Vector(DenseVector.of(1.0f));
        Impression without =
                impression(context, Choice.withoutPropensity(0), OptionalDouble.empty());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> without.toExample(NamedEncoder.none(), List.of()))
                .withMessageContaining("propensity");
        Impression learned = without.withPropensity(0.5, PropensityKind.LEARNED);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> learned.toExample(NamedEncoder.none(), List.of()))
                .withMessageContaining("reward");
        assertThat(learned.withReward(1.0).toExample(NamedEncoder.none(), List.of()).propensity())
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
                        List.of());
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
                        List.of());
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
                                        List.of(1)))
                .withMessageContaining("excludedActions");
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
}
