package io.counterflow.flink.event;

import io.counterflow.schemas.record.LoopPositionRecord;

/**
 * The position of an event in the order of its loop.
 *
 * @param rank order of its kind at equal times
 */
public record LoopPosition(long timeMicros, int rank, String id)
        implements Comparable<LoopPosition> {

    /** Before all events. */
    public static final LoopPosition START = new LoopPosition(Long.MIN_VALUE, 0, "");

    public static LoopPosition of(LoopEvent event) {
        return new LoopPosition(event.timeMicros(), event.kind().rank(), event.id());
    }

    public static LoopPosition of(LoopPositionRecord stored) {
        return new LoopPosition(stored.getTimeMicros(), stored.getRank(), stored.getId());
    }

    public LoopPositionRecord toRecord() {
        return new LoopPositionRecord(timeMicros, rank, id);
    }

    /** Like {@link LoopEvent#IN_ORDER}, but duplicates are equal. */
    @Override
    public int compareTo(LoopPosition other) {
        if (timeMicros != other.timeMicros) {
            return Long.compare(timeMicros, other.timeMicros);
        }
        return rank != other.rank ? Integer.compare(rank, other.rank) : id.compareTo(other.id);
    }
}
