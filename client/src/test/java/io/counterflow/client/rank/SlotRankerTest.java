package io.counterflow.client.rank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.numeric.ChiSquare;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.spec.LoopSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class SlotRankerTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final int PAGES = 50_000;
    private static final LoopSpec SPEC =
            PolicyStoreFixture.spec(1, "{\"bits\":10,\"explorationFloor\":0.1}");

    private final ServedLoop loop =
            new PolicyStoreFixture()
                    .spec(SPEC)
                    .snapshot(PolicyStoreFixture.snapshot(SPEC, 1, model()))
                    .active(1, 1)
                    .served();

    private static HashedModel model() {
        EventRandom random = new EventRandom(5);
        float[] weights = new float[1 << 10];
        for (int j = 0; j < weights.length; j++) {
            weights[j] = (float) random.nextGaussian();
        }
        return new HashedModel(10, weights);
    }

    private static NamedFeatures named(String name, String value) {
        return new NamedFeatures(
                List.of(new NamedFeatures.Entry(name, new FeatureValue.Text(value))));
    }

    private static SlotsRequest request(NamedFeatures context, Slot... slots) {
        List<NamedAction> actions =
                Stream.of("a", "b", "c", "d")
                        .map(id -> new NamedAction(id, named("topic", "t" + id)))
                        .toList();
        return new SlotsRequest(
                RankRequest.of(new Context.Named(context, actions)), List.of(slots));
    }

    private static SlotsRequest request(Slot... slots) {
        return request(named("country", "de"), slots);
    }

    private List<RankedDecision> decide(SlotsRequest request, String eventId) {
        return SlotRanker.decide(loop, request, eventId, NOW);
    }

    /** The product of the propensities is the probability of a pair, and pairs sum to one. */
    @Test
    void pairsOfActionsAreDrawnAsOftenAsTheirPropensitiesSay() {
        SlotsRequest request = request(Slot.of("top"), Slot.of("side"));
        Map<List<String>, Double> probabilities = new HashMap<>();
        Map<List<String>, Integer> drawn = new HashMap<>();
        for (int page = 0; page < PAGES; page++) {
            List<RankedDecision> decisions = decide(request, "page-" + page);
            List<String> pair = decisions.stream().map(RankedDecision::actionId).toList();
            assertThat(pair).doesNotHaveDuplicates();
            drawn.merge(pair, 1, Integer::sum);
            probabilities.put(
                    pair,
                    decisions.get(0).decision().propensity()
                            * decisions.get(1).decision().propensity());
        }
        assertThat(probabilities).hasSize(12);
        assertThat(probabilities.values().stream().mapToDouble(it -> it).sum())
                .isCloseTo(1.0, within(1e-9));
        List<List<String>> pairs = List.copyOf(probabilities.keySet());
        ChiSquare.assertFits(
                pairs.stream().mapToInt(pair -> drawn.getOrDefault(pair, 0)).toArray(),
                pairs.stream().mapToDouble(pair -> probabilities.getOrDefault(pair, 0.0)).toArray(),
                "pairs of actions");
    }

    @Test
    void everySlotIsADecisionOfItsOwn() {
        Slot side = new Slot("side", named("size", "small"), List.of("d"));
        List<RankedDecision> decisions = decide(request(Slot.of("top"), side), "page");
        Impression first = decisions.get(0).impression();
        Impression second = decisions.get(1).impression();
        assertThat(List.of(first.eventId(), second.eventId()))
                .containsExactly("page:top", "page:side");
        assertThat(first.choice().allowed().isAll()).isTrue();
        List<Integer> excluded = new ArrayList<>();
        for (int action : second.choice().allowed().excluded()) {
            excluded.add(action);
        }
        assertThat(excluded).contains(3, first.choice().action());
        assertThat(second.context())
                .isEqualTo(
                        new Context.Named(
                                new NamedFeatures(
                                        List.of(
                                                new NamedFeatures.Entry(
                                                        "country", new FeatureValue.Text("de")),
                                                new NamedFeatures.Entry(
                                                        "slot",
                                                        new NamedFeatures(
                                                                List.of(
                                                                        new NamedFeatures.Entry(
                                                                                "id",
                                                                                new FeatureValue
                                                                                        .Text(
                                                                                        "side")),
                                                                        new NamedFeatures.Entry(
                                                                                "size",
                                                                                new FeatureValue
                                                                                        .Text(
                                                                                        "small"))))))),
                                ((Context.Named) first.context()).actions()));
    }

    @Test
    void theSameEventIdGetsTheSamePage() {
        SlotsRequest request = request(Slot.of("top"), Slot.of("side"), Slot.of("foot"));
        assertThat(decide(request, "page").stream().map(RankedDecision::actionId))
                .isEqualTo(decide(request, "page").stream().map(RankedDecision::actionId).toList());
    }

    @Test
    void vectorsHaveSlotsWithoutFeatures() {
        LoopSpec vectors = PolicyStoreFixture.spec(1, "{\"actions\":[\"a\",\"b\"],\"features\":1}");
        ServedLoop served = new PolicyStoreFixture().spec(vectors).served();
        RankRequest shared = RankRequest.of(new Context.Vector(DenseVector.of(1)));
        SlotsRequest plain = new SlotsRequest(shared, List.of(Slot.of("top"), Slot.of("side")));
        assertThat(
                        SlotRanker.decide(served, plain, "page", NOW).stream()
                                .map(RankedDecision::actionId))
                .containsExactlyInAnyOrder("a", "b");
        Slot described = new Slot("top", named("size", "small"), List.of());
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                SlotRanker.decide(
                                        served,
                                        new SlotsRequest(shared, List.of(described)),
                                        "page",
                                        NOW))
                .withMessage("slots[0]: features must be absent when context is a vector");
    }

    @Test
    void aRefusalNamesTheSlot() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> request(Slot.of("a"), Slot.of("a")))
                .withMessage("slots[1].id must be unique, got \"a\" again");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> request())
                .withMessage("slots must have between 1 and 20 entries, got 0");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                decide(
                                        request(
                                                Stream.of("a", "b", "c", "d", "e")
                                                        .map(Slot::of)
                                                        .toArray(Slot[]::new)),
                                        "page"))
                .withMessage("slots must not be more than the 4 actions, got 5");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                decide(
                                        request(
                                                Slot.of("top"),
                                                new Slot(
                                                        "side",
                                                        NamedFeatures.none(),
                                                        List.of("a", "b", "c", "d"))),
                                        "page"))
                .withMessageStartingWith("slots[1]: ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decide(request(named("slot", "x"), Slot.of("top")), "page"))
                .withMessageContaining("must not have the name slot");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decide(request(Slot.of("top")), "e".repeat(510)))
                .withMessageContaining("eventId with the id of a slot must have");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Slot("a:b", NamedFeatures.none(), List.of()))
                .withMessageStartingWith("id must have 1 to 64 letters");
    }
}
