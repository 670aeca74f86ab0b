package io.counterflow.flink.join;

import java.util.Comparator;

/** Something that waits for the watermark. */
abstract class Due {

    /**
     * By time. Of the same time by bucket and then by arrival, so that the segments of a bucket are
     * read one after the other.
     */
    static final Comparator<Due> IN_ORDER =
            Comparator.<Due>comparingLong(due -> due.dueMs)
                    .thenComparingInt(due -> due.bucket)
                    .thenComparing(Due::position);

    private final int bucket;
    private long dueMs;

    Due(int bucket) {
        this.bucket = bucket;
    }

    final int bucket() {
        return bucket;
    }

    final void dueAt(long ms) {
        this.dueMs = ms;
    }

    /** The watermark that it waits for. */
    final long dueMs() {
        return dueMs;
    }

    /** Its position within its bucket. */
    abstract Position position();
}
