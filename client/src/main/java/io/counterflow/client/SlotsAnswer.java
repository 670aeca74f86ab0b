package io.counterflow.client;

import java.util.List;

/**
 * Decisions for the slots of a page.
 *
 * @param eventId the event id of the page; each slot has its own, for which rewards are sent
 * @param slots in the order of the request
 */
public record SlotsAnswer(String eventId, List<RankAnswer> slots) {

    public SlotsAnswer {
        slots = List.copyOf(slots);
    }
}
