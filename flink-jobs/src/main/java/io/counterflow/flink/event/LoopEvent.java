package io.counterflow.flink.event;

import io.counterflow.flink.ingest.IngestedEvent;
import io.counterflow.flink.ingest.RawRecord;
import java.util.Comparator;

/**
 * Something that happens to a loop, and its place in the order of the loop.
 *
 * @param kind what it is
 * @param loop the loop
 * @param timeMicros its event time, in microseconds since 1970: of an example, when it became known
 * @param id its identity within its kind: an event id, a command id, or a spec's version with
 *     leading zeros
 * @param raw the record in wire form, and where it came from: of an example, its own bytes and the
 *     place of its impression
 */
public record LoopEvent(LoopEventKind kind, String loop, long timeMicros, String id, RawRecord raw)
        implements IngestedEvent {

    /**
     * The order in which a loop takes its events, whatever order they arrive in. Of two that claim
     * to be the same, the one that lies first in its topic is taken; the other is a duplicate.
     */
    public static final Comparator<LoopEvent> IN_ORDER =
            Comparator.comparingLong(LoopEvent::timeMicros)
                    .thenComparingInt(event -> event.kind().rank())
                    .thenComparing(LoopEvent::id)
                    .thenComparingInt(event -> event.raw().partition())
                    .thenComparingLong(event -> event.raw().offset());
}
