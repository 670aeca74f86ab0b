package io.counterflow.client.rank;

import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Context;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Fills the slots of a page, one after the other. Each slot is a decision of its own, with an event
 * id of its own, from which the actions of earlier slots are excluded. So its propensity is exact:
 * the probability of its action, given the earlier slots.
 */
public final class SlotRanker {

    /** The namespace of the features of a slot. */
    private static final String SLOT = "slot";

    private static final String ID = "id";

    private SlotRanker() {}

    /**
     * Takes a decision for each slot.
     *
     * @param eventId the event id of the page
     * @throws IllegalArgumentException if the request does not fit the loop
     */
    public static List<RankedDecision> decide(
            ServedLoop loop, SlotsRequest request, String eventId, Instant time) {
        requireActions(loop, request);
        List<RankedDecision> decisions = new ArrayList<>();
        Set<String> excluded = new LinkedHashSet<>();
        for (int i = 0; i < request.slots().size(); i++) {
            Slot slot = request.slots().get(i);
            try {
                RankedDecision decision =
                        Ranker.decide(
                                loop,
                                forSlot(request.shared(), slot, excluded),
                                slot.baselineAction(),
                                SlotsRequest.eventId(eventId, slot),
                                time);
                excluded.add(decision.actionId());
                decisions.add(decision);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("slots[%d]: %s".formatted(i, e.getMessage()), e);
            }
        }
        return decisions;
    }

    private static void requireActions(ServedLoop loop, SlotsRequest request) {
        int given = request.shared().context().actionCount();
        int actions = given > 0 ? given : loop.spec().actionIds().size();
        if (request.slots().size() > actions) {
            throw new IllegalArgumentException(
                    "slots must not be more than the %d actions, got %d"
                            .formatted(actions, request.slots().size()));
        }
    }

    private static RankRequest forSlot(RankRequest shared, Slot slot, Set<String> earlier) {
        Set<String> excluded = new LinkedHashSet<>(shared.excludedActions());
        excluded.addAll(slot.excludedActions());
        excluded.addAll(earlier);
        return new RankRequest(
                Optional.empty(),
                withSlot(shared.context(), slot),
                List.copyOf(excluded),
                shared.deferred());
    }

    private static Context withSlot(Context context, Slot slot) {
        if (!(context instanceof Context.Named named)) {
            if (!slot.features().entries().isEmpty()) {
                throw new IllegalArgumentException(
                        "features must be absent when context is a vector");
            }
            return context;
        }
        List<NamedFeatures.Entry> entries = new ArrayList<>(named.features().entries());
        if (entries.stream().anyMatch(entry -> entry.name().equals(SLOT))) {
            throw new IllegalArgumentException(
                    "context.features must not have the name slot, which the slot takes");
        }
        List<NamedFeatures.Entry> ofSlot = new ArrayList<>();
        ofSlot.add(new NamedFeatures.Entry(ID, new FeatureValue.Text(slot.id())));
        ofSlot.addAll(slot.features().entries());
        entries.add(new NamedFeatures.Entry(SLOT, new NamedFeatures(ofSlot)));
        return new Context.Named(new NamedFeatures(entries), named.actions());
    }
}
