package io.counterflow.flink.event;

import io.counterflow.flink.ingest.IngestedEvent;
import io.counterflow.flink.ingest.RawRecord;
import java.util.Comparator;

/**
 * An event of a loop: an example, a spec or a command.
 *
 * @param timeMicros event time, in microseconds since 1970; for an example, the time when it became
 *     complete
 * @param id its id, unique within its kind: an event id, a command id, or the version of a spec
 *     with leading zeros
 * @param raw the encoded record and its origin; for an example, its own bytes and the origin of its
 *     impression
 */
public record LoopEvent(LoopEventKind kind, String loop, long timeMicros, String id, RawRecord raw)
        implements IngestedEvent {

    /**
     * The order in which a loop processes its events, independent of their arrival. Of two events
     * with the same identity, the first one in the topic is processed and the other one is a
     * duplicate.
     */
    public static final Comparator<LoopEvent> IN_ORDER =
            Comparator.comparingLong(LoopEvent::timeMicros)
                    .thenComparingInt(event -> event.kind().rank())
                    .thenComparing(LoopEvent::id)
                    .thenComparingInt(event -> event.raw().partition())
                    .thenComparingLong(event -> event.raw().offset());
}
