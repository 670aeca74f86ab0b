package io.counterflow.client.rank;

import java.util.HashSet;
import java.util.List;
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
    }

    /** The event id of a slot, for which its rewards are sent. */
    public static String eventId(String page, Slot slot) {
        return Names.require("eventId with the id of a slot", page + ":" + slot.id());
    }
}
