package io.counterflow.core.spec;

import static io.counterflow.core.spec.SpecChange.Verdict.IMMEDIATE;
import static io.counterflow.core.spec.SpecChange.Verdict.NEXT_GENERATION;
import static io.counterflow.core.spec.SpecChange.Verdict.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.text.JsonName;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

final class SpecChangeTest {

    private static final LoopSpec SPEC = LoopSpec.builder("loop").vectors(3, "a", "b").build();

    /** Settings that define the shape and the start of a loop. */
    private static final List<String> NEVER =
            List.of(
                    "features",
                    "bits",
                    "actions",
                    "interactions",
                    "actionIds",
                    "rewardRange",
                    "startingPolicy");

    /** Settings for which parameters were learned, or that must be fixed before the data. */
    private static final List<String> LATER =
            List.of("inverseTemperature", "objective", "lambda", "priorVariance", "tau");

    static List<Setting<?>> settings() {
        return LoopSettings.ALL;
    }

    private static SpecChange.Verdict expected(String name) {
        if (NEVER.contains(name)) {
            return REFUSED;
        }
        return LATER.contains(name) ? NEXT_GENERATION : IMMEDIATE;
    }

    @ParameterizedTest
    @MethodSource("settings")
    void aChangeOfASettingHasTheVerdictOfItsRow(Setting<?> setting) {
        EventRandom random = EventRandom.named(setting.name());
        for (int i = 0; i < 20; i++) {
            LoopSpec before = SettingValues.roomFor(setting).build();
            LoopSpec after = SettingValues.changed(before, setting, random);
            SpecChange change = SpecChange.between(before, after);
            assertThat(change.fields())
                    .filteredOn(field -> field.name().equals(setting.name()))
                    .containsExactly(
                            new SpecChange.Field(
                                    setting.name(),
                                    expected(setting.name()),
                                    setting.change().reason()));
            assertThat(change.verdict()).isEqualTo(expected(setting.name()));
            assertThat(setting.change().words())
                    .contains("`" + JsonName.of(expected(setting.name())) + "`");
            if (setting != LoopSettings.POLICY) { // which need other settings
                assertThat(change.fields()).hasSize(1);
            }
        }
    }

    @Test
    void changesInBothDirectionsHaveTheSameVerdict() {
        EventRandom random = new EventRandom(1);
        for (Setting<?> setting : LoopSettings.ALL) {
            LoopSpec before = SettingValues.roomFor(setting).build();
            LoopSpec after = SettingValues.changed(before, setting, random);
            assertThat(SpecChange.between(after, before).fields())
                    .isEqualTo(SpecChange.between(before, after).fields());
        }
    }

    @Test
    void noChangeIsImmediateWhateverVersionAndTime() {
        LoopSpec later = SPEC.toBuilder().at(9, Instant.EPOCH.plusSeconds(5)).build();
        SpecChange change = SpecChange.between(SPEC, later);
        assertThat(change.fields()).isEmpty();
        assertThat(change.verdict()).isEqualTo(IMMEDIATE);
        assertThat(change).hasToString("");
    }

    @Test
    void actionsAreRefusedWithVectorsAndImmediateWithNames() {
        LoopSpec names = LoopSpec.builder("loop").names(4).build();
        var actions = LoopShape.unnamed(List.of("x"));
        assertThat(SpecChange.between(SPEC, SPEC.with(LoopSettings.ACTIONS, actions)).verdict())
                .isEqualTo(REFUSED);
        SpecChange change = SpecChange.between(names, names.with(LoopSettings.ACTIONS, actions));
        assertThat(change.fields()).extracting(SpecChange.Field::name).containsExactly("actions");
        assertThat(change.verdict()).isEqualTo(IMMEDIATE);
    }

    @Test
    void vectorsDoNotBecomeNames() {
        LoopSpec names =
                SPEC.toBuilder()
                        .set(LoopSettings.FEATURES, OptionalLong.empty())
                        .set(LoopSettings.BITS, OptionalLong.of(4))
                        .build();
        SpecChange change = SpecChange.between(SPEC, names);
        assertThat(change.verdict()).isEqualTo(REFUSED);
        assertThat(change.fields())
                .extracting(SpecChange.Field::name)
                .containsExactly("features", "bits");
    }

    @ParameterizedTest
    @EnumSource(
            value = ObjectiveName.class,
            names = {"IPS_LPR", "WNLL_LPR", "LS_LPR", "TRUST_LPR", "IPS_L2"})
    void smoothingIsLearnedForByLsLprOnly(ObjectiveName objective) {
        LoopSpec before = SPEC.with(LoopSettings.OBJECTIVE_NAME, objective);
        LoopSpec after = before.with(LoopSettings.SMOOTHING, 0.1);
        SpecChange change = SpecChange.between(before, after);
        assertThat(change.fields()).extracting(SpecChange.Field::name).containsExactly("smoothing");
        assertThat(change.verdict())
                .isEqualTo(objective == ObjectiveName.LS_LPR ? NEXT_GENERATION : IMMEDIATE);
    }

    @ParameterizedTest
    @EnumSource(
            value = ObjectiveName.class,
            names = {"TRUST_LPR", "BCRM", "BCRM_CONVEX"})
    void theNormBoundIsLearnedForByBayesianObjectivesOnly(ObjectiveName objective) {
        LoopSpec before =
                SPEC.toBuilder()
                        .set(LoopSettings.OBJECTIVE_NAME, objective)
                        .set(LoopSettings.NORM_BOUND, OptionalDouble.of(1))
                        .build();
        LoopSpec after = before.with(LoopSettings.NORM_BOUND, OptionalDouble.of(2));
        assertThat(SpecChange.between(before, after).verdict())
                .isEqualTo(objective.isBayesian() ? NEXT_GENERATION : IMMEDIATE);
    }

    @Test
    void anotherBufferOfAnLsLprLoopChangesTheBufferAlone() {
        LoopSpec before = SPEC.with(LoopSettings.OBJECTIVE_NAME, ObjectiveName.LS_LPR);
        LoopSpec after = before.with(LoopSettings.BUFFER_CAPACITY, 10_000L);
        SpecChange change = SpecChange.between(before, after);
        assertThat(change.fields())
                .extracting(SpecChange.Field::name)
                .containsExactly("bufferCapacity");
        assertThat(change.verdict()).isEqualTo(IMMEDIATE);
        assertThat(after.objective(2)).isEqualTo(before.objective(2));
    }

    @Test
    void theSameStartingPolicyReadAgainIsNoChange() {
        SpecChange change = SpecChange.between(starting(1), starting(1));
        assertThat(change.fields()).isEmpty();
        assertThat(SpecChange.between(starting(1), starting(2)).verdict()).isEqualTo(REFUSED);
        LoopSpec names = LoopSpec.builder("loop").names(2).build();
        assertThat(SpecChange.between(hashed(names), hashed(names)).fields()).isEmpty();
    }

    private static LoopSpec starting(float weight) {
        LinearModel model = new DenseModel(new float[][] {{weight, 0, 0}, {0, 0, 0}}, new float[2]);
        return SPEC.with(
                LoopSettings.STARTING_POLICY,
                Optional.of(PolicySnapshot.of("loop", 1, model, Optional.empty())));
    }

    private static LoopSpec hashed(LoopSpec names) {
        return names.with(
                LoopSettings.STARTING_POLICY,
                Optional.of(
                        PolicySnapshot.of(
                                "loop",
                                1,
                                names.shape().zeros(),
                                Optional.of(EncoderSpec.ofBits(2)))));
    }

    @Test
    void theStrictestVerdictDecidesAndItsFieldsAreNamed() {
        LoopSpec rate = SPEC.with(LoopSettings.LEARNING_RATE, 0.1);
        assertThat(SpecChange.between(SPEC, rate)).hasToString("learningRate: later steps use it");

        LoopSpec later =
                rate.with(LoopSettings.LAMBDA, 0.1)
                        .with(LoopSettings.OBJECTIVE_NAME, ObjectiveName.IPS_L2);
        SpecChange waits = SpecChange.between(SPEC, later);
        assertThat(waits.verdict()).isEqualTo(NEXT_GENERATION);
        assertThat(waits)
                .hasToString(
                        "objective: the current parameters were learned with the old value;"
                                + " lambda: the current parameters were learned with the old value");

        SpecChange refused =
                SpecChange.between(SPEC, later.with(LoopSettings.FEATURES, OptionalLong.of(4)));
        assertThat(refused.verdict()).isEqualTo(REFUSED);
        assertThat(refused)
                .hasToString(
                        "features: the parameters belong to the old features or actions; create a"
                                + " new loop");
        assertThat(refused.fields())
                .extracting(SpecChange.Field::name)
                .containsExactly("features", "objective", "lambda", "learningRate");
    }
}
