package io.counterflow.benchmarks.streaming;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Takes the time from the first record that a job reads to the last one that it is done with. The
 * cluster runs in this process, so that operators find the stopwatch that was started for their
 * run.
 */
final class Stopwatch {

    private static final AtomicReference<@Nullable Stopwatch> CURRENT = new AtomicReference<>();

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /**
     * What a run took.
     *
     * @param seconds by the clock
     * @param cpuSeconds of this process, broker and cluster included: what counts where others
     *     compute on the same machine
     */
    record Taken(double seconds, double cpuSeconds) {}

    private final long expected;
    private final AtomicLong startNs = new AtomicLong();
    private final AtomicLong done = new AtomicLong();
    private final CountDownLatch allDone = new CountDownLatch(1);
    private volatile long startCpuNs;
    private volatile long endNs;
    private volatile long endCpuNs;

    private Stopwatch(long expected) {
        this.expected = expected;
    }

    /**
     * A new stopwatch for the run that comes.
     *
     * @param expected how many records the run has to be done with
     */
    static Stopwatch reset(long expected) {
        Stopwatch stopwatch = new Stopwatch(expected);
        CURRENT.set(stopwatch);
        return stopwatch;
    }

    /** The stopwatch of this run. */
    static Stopwatch current() {
        return Objects.requireNonNull(CURRENT.get(), "no run has been started");
    }

    /** Says that a record was read. */
    void read() {
        if (startNs.get() == 0 && startNs.compareAndSet(0, System.nanoTime())) {
            startCpuNs = PROCESS.getProcessCpuTime();
        }
    }

    /** Says that a record was done with. */
    void done() {
        if (done.incrementAndGet() == expected) {
            endNs = System.nanoTime();
            endCpuNs = PROCESS.getProcessCpuTime();
            allDone.countDown();
        }
    }

    /**
     * Waits for the last record.
     *
     * @return what it took from the first to the last
     */
    Taken await(Duration limit) throws InterruptedException {
        if (!allDone.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(
                    "%d of %d records within %s".formatted(done.get(), expected, limit));
        }
        return new Taken(1e-9 * (endNs - startNs.get()), 1e-9 * (endCpuNs - startCpuNs));
    }
}
