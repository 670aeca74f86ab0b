package io.counterflow.client.rank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.DecisionOrigin;
import io.counterflow.core.log.Impression;
import io.counterflow.core.numeric.ChiSquare;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A loop that is an apprentice shows what its caller would show, whatever its policy prefers. */
final class ApprenticeRankTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final LoopSpec DECIDING =
            PolicyStoreFixture.spec(
                    1,
                    "{\"actions\":[\"a\",\"b\",\"c\",\"d\"],\"features\":1,"
                            + "\"explorationFloor\":0.2}");

    private static ServedLoop loop(LoopSpec spec) {
        float[][] weights = {{-1}, {0}, {2}, {1}};
        DenseModel model = new DenseModel(weights, new float[4]);
        return new PolicyStoreFixture()
                .spec(spec)
                .snapshot(PolicyStoreFixture.snapshot(spec, 1, model))
                .active(1, 1)
                .served();
    }

    private final ServedLoop deciding = loop(DECIDING);
    private final ServedLoop apprentice =
            loop(DECIDING.with(LoopSettings.ROLLOUT_MODE, RolloutMode.APPRENTICE));

    private static RankRequest request() {
        return RankRequest.of(new Context.Vector(DenseVector.of(1)));
    }

    private static Slot slot(String id, String baseline) {
        return new Slot(id, NamedFeatures.none(), List.of(), Optional.of(baseline));
    }

    @Test
    void theFirstActionIsAlwaysShownWithItsTrueProbability() {
        for (int i = 0; i < 200; i++) {
            RankedDecision ranked = Ranker.decide(apprentice, request(), "e-" + i, NOW);
            assertThat(ranked.actionId()).isEqualTo("a");
            assertThat(ranked.decision().propensity()).isEqualTo(1.0);
            Choice choice = ranked.impression().choice();
            assertThat(choice.action()).isZero();
            assertThat(choice.propensity()).hasValue(1.0);
            assertThat(choice.propensityKind()).isEqualTo(PropensityKind.EXACT);
            assertThat(choice.distribution()).containsExactly(1.0, 0.0, 0.0, 0.0);
            assertThat(DecisionOrigin.of(ranked.impression()).apprentice()).isTrue();
        }
    }

    @Test
    void theFirstOfTheAllowedActionsIsShown() {
        RankRequest without = request().excluding(List.of("a", "c"));
        assertThat(Ranker.decide(apprentice, without, "e", NOW).actionId()).isEqualTo("b");
    }

    /** Another deployment of the same loop draws the same actions and shows them. */
    @Test
    void theLogHasTheActionThatThePolicyWouldHaveShown() {
        int[] drawn = new int[4];
        double[] probabilities = new double[4];
        int events = 20_000;
        for (int i = 0; i < events; i++) {
            Impression shown = Ranker.decide(apprentice, request(), "e-" + i, NOW).impression();
            RankedDecision decided = Ranker.decide(deciding, request(), "e-" + i, NOW);
            assertThat(shown.choice().policyAction()).hasValue(decided.decision().action());
            assertThat(shown.policyVersion()).isEqualTo(1);
            assertThat(decided.impression().choice().policyAction()).isEmpty();
            drawn[shown.choice().policyAction().orElseThrow()]++;
            probabilities = decided.decision().distribution();
        }
        ChiSquare.assertFits(drawn, probabilities, "actions that the policy would show");
    }

    @Test
    void aSlotShowsItsBaselineAction() {
        SlotsRequest page =
                new SlotsRequest(
                        request(), List.of(slot("top", "d"), slot("side", "a"), slot("foot", "b")));
        List<RankedDecision> shown = SlotRanker.decide(apprentice, page, "page", NOW);
        assertThat(shown).extracting(RankedDecision::actionId).containsExactly("d", "a", "b");
        assertThat(shown)
                .allSatisfy(
                        it -> {
                            Choice choice = it.impression().choice();
                            assertThat(choice.propensity()).hasValue(1.0);
                            assertThat(choice.allowed().contains(choice.policyAction().getAsInt()))
                                    .isTrue();
                        });
        SlotsRequest plain = new SlotsRequest(request(), List.of(Slot.of("top"), Slot.of("side")));
        assertThat(SlotRanker.decide(apprentice, plain, "page", NOW))
                .extracting(RankedDecision::actionId)
                .containsExactly("a", "b");
        assertThat(SlotRanker.decide(deciding, page, "page", NOW))
                .allMatch(it -> it.impression().choice().policyAction().isEmpty());
    }

    @Test
    void baselineActionsThatContradictEachOtherAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                new SlotsRequest(
                                        request(), List.of(slot("top", "a"), slot("side", "a"))))
                .withMessage("slots[1].baselineAction must be unique, got that of another slot");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                new SlotsRequest(
                                        request(), List.of(slot("top", "a"), Slot.of("side"))))
                .withMessageStartingWith("slots[1].baselineAction must be given");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                new SlotsRequest(
                                        request(),
                                        List.of(
                                                new Slot(
                                                        "top",
                                                        NamedFeatures.none(),
                                                        List.of("a"),
                                                        Optional.of("a")))))
                .withMessageContaining("must not be one of its excludedActions");
        for (ServedLoop loop : List.of(apprentice, deciding)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () ->
                                    SlotRanker.decide(
                                            loop,
                                            new SlotsRequest(request(), List.of(slot("top", "z"))),
                                            "page",
                                            NOW))
                    .withMessage(
                            "slots[0]: baselineAction must be the id of an action, got another");
        }
        SlotsRequest excluded =
                new SlotsRequest(request().excluding(List.of("a")), List.of(slot("top", "a")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SlotRanker.decide(apprentice, excluded, "page", NOW))
                .withMessageEndingWith("baselineAction must not be one of excludedActions");
    }
}
