package io.counterflow.benchmarks.streaming;

import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/**
 * Sums the counters of all subtasks of the job that runs in this process. Reading a counter costs
 * the job nothing, so jobs are measured as they are.
 */
public final class JobCounters implements MetricReporter {

    /** Examples that loops have learned from. */
    static final String LEARNED = "learned";

    /** Loops that were read from state. */
    static final String COLD_LOADS = "cold_loads";

    private static final Map<Counter, String> COUNTERS = new ConcurrentHashMap<>();

    /** Flink finds it as a service. */
    public static final class Factory implements MetricReporterFactory {
        @Override
        public MetricReporter createMetricReporter(Properties properties) {
            return new JobCounters();
        }
    }

    /** The settings of a cluster that counts. */
    static Configuration settings() {
        Configuration settings = new Configuration();
        settings.setString("metrics.reporters", "counters");
        settings.setString("metrics.reporter.counters.factory.class", Factory.class.getName());
        return settings;
    }

    /** Forgets the counters of earlier jobs. */
    static void reset() {
        COUNTERS.clear();
    }

    /** The sum over all subtasks. */
    static long sum(String name) {
        return COUNTERS.entrySet().stream()
                .filter(it -> it.getValue().equals(name))
                .mapToLong(it -> it.getKey().getCount())
                .sum();
    }

    @Override
    public void open(MetricConfig config) {
        COUNTERS.clear();
    }

    @Override
    public void close() {
        COUNTERS.clear();
    }

    @Override
    public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
        if (metric instanceof Counter counter
                && (name.equals(LEARNED) || name.equals(COLD_LOADS))) {
            COUNTERS.put(counter, name);
        }
    }

    @Override
    public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
        if (metric instanceof Counter counter) {
            COUNTERS.remove(counter);
        }
    }
}
