package io.counterflow.benchmarks.streaming;

import io.counterflow.benchmarks.process.ProcessCpu;
import java.time.Duration;

/**
 * What a job did between a fifth of the records and the last one.
 *
 * @param decisions decisions in this time
 * @param seconds wall-clock time
 * @param cpuSeconds CPU time of this process, without the JIT compiler
 * @param complete whether the last record was reached within the limit
 */
record SteadyState(long decisions, double seconds, double cpuSeconds, boolean complete) {

    private static final long POLL_MS = 10;
    private static final double WARM_UP = 0.2;

    /**
     * Measures the job that is running.
     *
     * @param records number of decisions that it reads
     * @param limit after this time the measurement ends, although the job has not
     * @param started called after the warm-up
     */
    static SteadyState of(long records, Duration limit, Runnable started)
            throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        long from = await((long) (WARM_UP * records), end);
        started.run();
        long startNs = System.nanoTime();
        double startCpu = ProcessCpu.seconds();
        long to = await(records, end);
        if (to == from) {
            throw new IllegalStateException(
                    "the job took no decision after its first %d within %s: set a higher --limit"
                            .formatted(from, limit));
        }
        return new SteadyState(
                to - from,
                1e-9 * (System.nanoTime() - startNs),
                ProcessCpu.seconds() - startCpu,
                to >= records);
    }

    private static long await(long records, long endNs) throws InterruptedException {
        long done = JobCounters.sum(JobCounters.LEARNED);
        while (done < records && System.nanoTime() < endNs) {
            Thread.sleep(POLL_MS);
            done = JobCounters.sum(JobCounters.LEARNED);
        }
        return done;
    }

    double perSecond() {
        return decisions / seconds;
    }

    double cpuMicros() {
        return 1e6 * cpuSeconds / decisions;
    }
}
