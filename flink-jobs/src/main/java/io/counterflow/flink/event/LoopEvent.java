package io.counterflow.flink.event;

import io.counterflow.flink.ingest.IngestedEvent;
import io.counterflow.flink.ingest.RawRecord;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.jspecify.annotations.Nullable;

/**
 * An event of a loop.
 *
 * @param timeMicros event time, in microseconds since 1970; for an example, the time when its
 *     reward became final
 * @param id its id, unique within its kind: an event id, a command id, or the version of a spec;
 *     empty for other kinds
 * @param sequence its number in the journal of the loop; 0 if the loop has not taken it yet
 * @param outcome the reward of an example; null for other kinds
 * @param raw the record as it came, with its origin; for an example, the record of its impression
 */
@TypeInfo(LoopEventSerializer.TypeFactory.class)
public record LoopEvent(
        LoopEventKind kind,
        String loop,
        long timeMicros,
        String id,
        long sequence,
        @Nullable Outcome outcome,
        RawRecord raw)
        implements IngestedEvent {

    /** An event without a reward that is not in the journal yet. */
    public LoopEvent(LoopEventKind kind, String loop, long timeMicros, String id, RawRecord raw) {
        this(kind, loop, timeMicros, id, 0L, null, raw);
    }

    /** The passing of time. */
    public static LoopEvent time(String loop, long timeMicros) {
        return new LoopEvent(LoopEventKind.TIME, loop, timeMicros, "", RawRecord.NONE);
    }
}
