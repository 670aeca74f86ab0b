package io.counterflow.benchmarks.streaming;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * What one example costs.
 *
 * @param ns CPU time of the whole process, so that what RocksDB does in the background counts
 * @param threadNs CPU time of the thread that does the work
 * @param bytes what that thread allocates on the heap
 */
public record Cost(double ns, double threadNs, double bytes) {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Something that is done with each example. */
    @FunctionalInterface
    public interface Work {
        void on(int example) throws Exception;
    }

    /** Does the work with so many examples. */
    public static Cost of(int examples, Work work) throws Exception {
        long processNs = PROCESS.getProcessCpuTime();
        long threadNs = THREADS.getCurrentThreadCpuTime();
        long bytes = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < examples; i++) {
            work.on(i);
        }
        return new Cost(
                (double) (PROCESS.getProcessCpuTime() - processNs) / examples,
                (double) (THREADS.getCurrentThreadCpuTime() - threadNs) / examples,
                (double) (THREADS.getCurrentThreadAllocatedBytes() - bytes) / examples);
    }

    /** The cheapest of several passes over the examples, when the code has been compiled. */
    public static Cost best(int passes, int examples, Work work) throws Exception {
        Cost best = of(examples, work);
        for (int pass = 1; pass < passes; pass++) {
            Cost next = of(examples, work);
            if (next.threadNs < best.threadNs) {
                best = next;
            }
        }
        return best;
    }

    /** What it comes to when so many examples share it. */
    public Cost dividedBy(int examples) {
        return new Cost(ns / examples, threadNs / examples, bytes / examples);
    }
}
