package io.counterflow.core.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.core.features.Interaction;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.snapshot.PolicySnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class SettingTest {

    private static <T> String byDefault(Setting<T> setting) {
        return setting.show(setting.defaultValue());
    }

    @Test
    void defaultsAreShownAsPeopleWriteThem() {
        assertThat(byDefault(LoopSettings.LAMBDA)).isEqualTo("1e-6");
        assertThat(byDefault(LoopSettings.EXPLORATION_FLOOR)).isEqualTo("0.05");
        assertThat(byDefault(LoopSettings.BUFFER_CAPACITY)).isEqualTo("100000");
        assertThat(byDefault(LoopSettings.LEARNING_RATE)).isEqualTo("1");
        assertThat(byDefault(LoopSettings.SMOOTHING)).isEqualTo("0.003");
        assertThat(byDefault(LoopSettings.OBJECTIVE_NAME)).isEqualTo("trust-lpr");
        assertThat(byDefault(LoopSettings.POLICY)).isEqualTo("softmax");
        assertThat(byDefault(LoopSettings.ATTRIBUTION_WINDOW)).isEqualTo("10m");
        assertThat(byDefault(LoopSettings.SNAPSHOT_INTERVAL)).isEqualTo("0s");
        assertThat(byDefault(LoopSettings.AUTOMATIC_ROLLBACK)).isEqualTo("true");
        assertThat(byDefault(LoopSettings.VARIANCE)).isEqualTo("none");
        assertThat(byDefault(LoopSettings.BITS)).isEqualTo("none");
        assertThat(byDefault(LoopSettings.ACTIONS)).isEqualTo("[]");
        assertThat(byDefault(LoopSettings.INTERACTIONS)).isEqualTo("[\"*:*\"]");
        assertThat(byDefault(LoopSettings.STARTING_POLICY)).isEqualTo("none");
    }

    @Test
    void valuesThatAreGivenAreShown() {
        assertThat(LoopSettings.VARIANCE.show(OptionalDouble.of(0.5))).isEqualTo("0.5");
        assertThat(LoopSettings.BITS.show(OptionalLong.of(18))).isEqualTo("18");
        assertThat(LoopSettings.SEED.show(Long.MIN_VALUE)).isEqualTo("-9223372036854775808");
        assertThat(LoopSettings.PROPENSITY_KIND.show(PropensityKind.UPPER_BOUND))
                .isEqualTo("upperBound");
        assertThat(LoopSettings.SNAPSHOT_INTERVAL.show(Duration.ofMinutes(90))).isEqualTo("1h30m");
        assertThat(
                        LoopSettings.INTERACTIONS.show(
                                List.of(
                                        new Interaction("user", "topic"),
                                        new Interaction("*", ""))))
                .isEqualTo("[\"user:topic\", \"*:\"]");
    }

    @Test
    void actionsAndPoliciesAreShownBySizeOnly() {
        NamedAction secret = new NamedAction("secret", NamedFeatures.none());
        assertThat(LoopSettings.ACTIONS.show(List.of(secret))).isEqualTo("1");
        PolicySnapshot start =
                PolicySnapshot.of("secret", 3, DenseModel.zeros(1, 1), Optional.empty());
        assertThat(LoopSettings.STARTING_POLICY.show(Optional.of(start))).isEqualTo("given");
    }

    @Test
    void theRangeOfASettingIsTextForPeople() {
        assertThat(LoopSettings.EXPLORATION_FLOOR.range()).isEqualTo("in [0, 1]");
        assertThat(LoopSettings.CANARY_SHARE.range()).isEqualTo("in [0, 0.95]");
        assertThat(LoopSettings.CANDIDATE_EXAMPLES.range()).isEqualTo("at least 1");
        assertThat(LoopSettings.TAU.range()).isEqualTo("in [1e-12, 1]");
        assertThat(LoopSettings.BATCH_SIZE.range()).isEqualTo("in [1, 1e7]");
        assertThat(LoopSettings.SEED.range()).isEmpty();
        assertThat(LoopSettings.ACTION_IDS.range()).isEmpty();
        assertThat(LoopSettings.PROPENSITY_KIND.range()).isEqualTo("exact, estimated, upperBound");
        assertThat(LoopSettings.OBJECTIVE_NAME.range())
                .isEqualTo("ips-lpr, wnll-lpr, ls-lpr, trust-lpr, ips-l2, bcrm, bcrm-convex");
    }

    @Test
    void everyWordHasItsConstantAndBack() {
        for (Setting<?> setting : LoopSettings.ALL) {
            for (String word : setting.words()) {
                assertThat(Setting.wordOf(setting.constant(word))).isEqualTo(word);
            }
        }
        assertThat(LoopSettings.OBJECTIVE_NAME.constant("ls-lpr")).isEqualTo(ObjectiveName.LS_LPR);
    }

    @Test
    void aWordThatIsNotOneOfThemIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LoopSettings.ROLLOUT_MODE.constant("GATED"))
                .withMessage(
                        "rolloutMode must be one of manual, immediate, gated, apprentice, got \"GATED\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LoopSettings.ROLLOUT_MODE.constant("x".repeat(50)))
                .withMessageEndingWith("got \"" + "x".repeat(40) + "\"");
    }
}
