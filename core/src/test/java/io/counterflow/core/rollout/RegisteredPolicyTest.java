package io.counterflow.core.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Context;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class RegisteredPolicyTest {

    private static final List<NamedAction> TWO =
            List.of(
                    new NamedAction("a", NamedFeatures.none()),
                    new NamedAction("b", NamedFeatures.none()));

    private static LoopSpec names(int bits) {
        return LoopSpec.builder("loop")
                .names(bits)
                .set(LoopSettings.EXPLORATION_FLOOR, 0.0)
                .build();
    }

    private static LinearModel constant(LoopSpec spec, String id) {
        return new RegisteredPolicy.ConstantAction(id)
                .parameters(spec, version -> Optional.empty())
                .model();
    }

    /** The probability of each action of a request with one context feature. */
    private static double[] probabilities(
            LoopSpec spec, LinearModel model, List<NamedAction> actions) {
        NamedFeatures user =
                new NamedFeatures(
                        List.of(
                                new NamedFeatures.Entry(
                                        "user", new FeatureValue.Quantity(1_000.0))));
        var features = spec.assembly().features(new Context.Named(user, actions), List.of());
        double[] probabilities = new double[actions.size()];
        spec.policyOf(model).probabilities(features, AllowedActions.ALL, probabilities);
        return probabilities;
    }

    @Test
    void aConstantActionOfNamedFeaturesIsFoundByItsId() {
        LoopSpec spec = names(18);
        assertThat(probabilities(spec, constant(spec, "b"), TWO)).containsExactly(0.0, 1.0);
        assertThat(probabilities(spec, constant(spec, "absent"), TWO)).containsExactly(0.5, 0.5);
    }

    @Test
    void aNormBoundDoesNotSoftenAConstantAction() {
        LoopSpec spec = names(18).with(LoopSettings.NORM_BOUND, OptionalDouble.of(1e-3));
        assertThat(probabilities(spec, constant(spec, "b"), TWO)).containsExactly(0.0, 1.0);
    }

    @Test
    void aConstantActionNeedsAWeightOfItsOwn() {
        LoopSpec spec = names(18).with(LoopSettings.ACTION_IDS, false);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> constant(spec, "b"))
                .withMessageStartingWith("constantAction must be absent where actionIds is false");
        LoopSpec crowded = names(1).with(LoopSettings.ACTIONS, many(8));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> constant(crowded, "action 0"))
                .withMessageContaining("shares it with actions[")
                .withMessageEndingWith("use more bits");
        LoopSpec roomy = names(18).with(LoopSettings.ACTIONS, many(8));
        assertThat(constant(roomy, "action 0")).isNotNull();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> constant(roomy, "action 8"))
                .withMessageStartingWith("constantAction must be one of the 8 actions");
    }

    private static List<NamedAction> many(int n) {
        return IntStream.range(0, n)
                .mapToObj(i -> new NamedAction("action " + i, NamedFeatures.none()))
                .toList();
    }

    @Test
    void aGreedyPolicySeparatesScoresThatDifferInTheLastBit() {
        float[] biases = {1.0f, Math.nextUp(1.0f), 1.0f};
        LinearModel model = new DenseModel(new float[3][1], biases);
        for (double inverseTemperature : new double[] {1e-5, 1.0, 1e6}) {
            LoopSpec spec =
                    LoopSpec.builder("loop")
                            .vectors(1, "a", "b", "c")
                            .set(LoopSettings.EXPLORATION_FLOOR, 0.0)
                            .set(LoopSettings.INVERSE_TEMPERATURE, inverseTemperature)
                            .build();
            LinearModel greedy =
                    new RegisteredPolicy.GreedyOf(4)
                            .parameters(
                                    spec,
                                    version ->
                                            version == 4
                                                    ? Optional.of(VersionParameters.of(model))
                                                    : Optional.empty())
                            .model();
            double[] probabilities = new double[3];
            spec.policyOf(greedy)
                    .probabilities(DenseVector.of(0.0f), AllowedActions.ALL, probabilities);
            assertThat(probabilities)
                    .as("inverse temperature %s", inverseTemperature)
                    .containsExactly(new double[] {0.0, 1.0, 0.0}, within(1e-9));
            for (float parameter : FlatParameters.of(greedy)) {
                assertThat(parameter).isLessThanOrEqualTo((float) LoopSpec.MAX_PARAMETER);
            }
        }
    }
}
