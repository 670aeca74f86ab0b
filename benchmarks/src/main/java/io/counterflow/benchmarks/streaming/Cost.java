package io.counterflow.benchmarks.streaming;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * The cost of one example.
 *
 * @param ns CPU time of the whole process, including background threads of RocksDB
 * @param threadNs CPU time of the thread that does the work
 * @param bytes bytes that this thread allocates on the heap
 */
public record Cost(double ns, double threadNs, double bytes) {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** The work for each example. */
    @FunctionalInterface
    public interface Work {
        void on(int example) throws Exception;
    }

    /** Measures the work for a number of examples. */
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

    /** The cost of the cheapest of several passes, in which the code is already compiled. */
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

    /** This cost divided by a number of examples. */
    public Cost dividedBy(int examples) {
        return new Cost(ns / examples, threadNs / examples, bytes / examples);
    }
}
