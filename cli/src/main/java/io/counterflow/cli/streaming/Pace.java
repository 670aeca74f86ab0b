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

    /** The rate that keeps the recorded pauses between impressions. */
    static final double AS_RECORDED = 0.0;

    /** Shorter waits take longer than requested. */
    private static final long MIN_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private final double perSecond;
    private final LongSupplier nanoTime;
    private final Wait wait;

    private long sent;
    private long startNs;
    private @Nullable Instant first;

    /**
     * @param perSecond impressions per second, may be infinite; or {@link #AS_RECORDED}
     */
    Pace(double perSecond, LongSupplier nanoTime, Wait wait) {
        this.perSecond = perSecond;
        this.nanoTime = nanoTime;
        this.wait = wait;
    }

    void await(Instant time) throws InterruptedException {
        if (first == null) {
            first = time;
            startNs = nanoTime.getAsLong();
        }
        long dueNs =
                perSecond == AS_RECORDED
                        ? Duration.between(first, time).toNanos()
                        : (long) (sent / perSecond * 1e9);
        sent++;
        long aheadNs = dueNs - (nanoTime.getAsLong() - startNs);
        if (aheadNs > MIN_WAIT_NS) {
            wait.forNanos(aheadNs);
        }
    }
}
