package io.counterflow.flink.join;

import java.util.Comparator;

/**
 * A position in the log of a bucket.
 *
 * @param segment number of the segment
 * @param offset where a record starts in it
 */
record Position(long segment, int offset) implements Comparable<Position> {

    /** Before all records. */
    static final Position START = new Position(Long.MIN_VALUE, -1);

    /** After all records. */
    static final Position END = new Position(Long.MAX_VALUE, Integer.MAX_VALUE);

    private static final Comparator<Position> IN_ORDER =
            Comparator.comparingLong(Position::segment).thenComparingInt(Position::offset);

    @Override
    public int compareTo(Position other) {
        return IN_ORDER.compare(this, other);
    }
}
