package io.counterflow.client.rank;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A request for one action per slot, no action twice.
 *
 * @param shared what all slots have in common; its event id is that of the page
 * @param slots the slots, the most important one first
 */
public record SlotsRequest(RankRequest shared, List<Slot> slots) {

    /** Limit on slots: each one costs a decision and a record with all actions. */
    public static final int MAX_SLOTS = 20;

    public SlotsRequest {
        slots = List.copyOf(slots);
        if (slots.isEmpty() || slots.size() > MAX_SLOTS) {
            throw new IllegalArgumentException(
                    "slots must have between 1 and %d entries, got %d"
                            .formatted(MAX_SLOTS, slots.size()));
        }
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < slots.size(); i++) {
            if (!ids.add(slots.get(i).id())) {
                throw new IllegalArgumentException(
                        "slots[%d].id must be unique, got \"%s\" again"
                                .formatted(i, slots.get(i).id()));
            }
        }
        requireBaselines(slots);
    }

    /** Otherwise the baseline action of one slot could be taken by an earlier one. */
    private static void requireBaselines(List<Slot> slots) {
        Set<String> baselines = new HashSet<>();
        for (int i = 0; i < slots.size(); i++) {
            Optional<String> baseline = slots.get(i).baselineAction();
            if (baseline.isPresent() != slots.get(0).baselineAction().isPresent()) {
                throw new IllegalArgumentException(
                        "slots[%d].baselineAction must be given if other slots have one, and otherwise not"
                                .formatted(i));
            }
            if (baseline.isPresent() && slots.get(i).excludedActions().contains(baseline.get())) {
                throw new IllegalArgumentException(
                        "slots[%d].baselineAction must not be one of its excludedActions"
                                .formatted(i));
            }
            if (baseline.isPresent() && !baselines.add(baseline.get())) {
                throw new IllegalArgumentException(
                        "slots[%d].baselineAction must be unique, got that of another slot"
                                .formatted(i));
            }
        }
    }

    /** The event id of a slot, for which its rewards are sent. */
    public static String eventId(String page, Slot slot) {
        return eventId(page, slot.id());
    }

    /** The event id of the slot with an id. */
    public static String eventId(String page, String slotId) {
        return Names.require("eventId with the id of a slot", page + ":" + slotId);
    }
}
