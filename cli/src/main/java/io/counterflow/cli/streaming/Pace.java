package io.counterflow.cli.streaming;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The speed of a replay. For one thread. */
final class Pace {

    /** Waits; replaced in tests. */
    @FunctionalInterface
    interface Wait {
        void forNanos(long nanos) throws InterruptedException;
    }

    /** Shorter waits take longer than requested. */
    private static final long MIN_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private final double perSecond; // 0 for as recorded, infinite for no limit
    private final LongSupplier nanoTime;
    private final Wait wait;

    private long sent;
    private long startNs;
    private @Nullable Instant first;

    private Pace(double perSecond, LongSupplier nanoTime, Wait wait) {
        this.perSecond = perSecond;
        this.nanoTime = nanoTime;
        this.wait = wait;
    }

    static Pace fastest() {
        return new Pace(Double.POSITIVE_INFINITY, () -> 0L, nanos -> {});
    }

    static Pace perSecond(double rate, LongSupplier nanoTime, Wait wait) {
        return new Pace(rate, nanoTime, wait);
    }

    /** With the recorded pauses between impressions. */
    static Pace asRecorded(LongSupplier nanoTime, Wait wait) {
        return new Pace(0.0, nanoTime, wait);
    }

    /** Waits until an impression is due. */
    void await(Instant time) throws InterruptedException {
        if (first == null) {
            first = time;
            startNs = nanoTime.getAsLong();
        }
        long dueNs =
                perSecond == 0.0
                        ? Duration.between(first, time).toNanos()
                        : (long) (sent / perSecond * 1e9);
        sent++;
        long aheadNs = dueNs - (nanoTime.getAsLong() - startNs);
        if (aheadNs > MIN_WAIT_NS) {
            wait.forNanos(aheadNs);
        }
    }
}
