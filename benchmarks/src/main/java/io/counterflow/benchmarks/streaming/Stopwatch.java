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
 * Measures the time from the first record that a job reads to the last one that it has processed.
 * The cluster runs in this process, so operators use the stopwatch of the current run.
 */
final class Stopwatch {

    private static final AtomicReference<@Nullable Stopwatch> CURRENT = new AtomicReference<>();

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /**
     * The time of a run.
     *
     * @param seconds wall-clock time
     * @param cpuSeconds CPU time of this process, including broker and cluster; use it on a shared
     *     machine
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
     * Creates the stopwatch of the next run.
     *
     * @param expected number of records that the run must process
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

    /** Called when a record was read. */
    void read() {
        if (startNs.get() == 0 && startNs.compareAndSet(0, System.nanoTime())) {
            startCpuNs = PROCESS.getProcessCpuTime();
        }
    }

    /** Called when a record was processed. */
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
     * @return the time from the first to the last record
     */
    Taken await(Duration limit) throws InterruptedException {
        if (!allDone.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(
                    "%d of %d records within %s".formatted(done.get(), expected, limit));
        }
        return new Taken(1e-9 * (endNs - startNs.get()), 1e-9 * (endCpuNs - startCpuNs));
    }
}
