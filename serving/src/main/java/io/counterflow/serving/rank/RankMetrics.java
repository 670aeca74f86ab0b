package io.counterflow.serving.rank;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;

/** Metrics of decisions. */
public final class RankMetrics {

    private final Timer decisions;
    private final Counter answered;
    private final Counter refused;

    public RankMetrics(MeterRegistry registry) {
        decisions =
                Timer.builder("counterflow.decision")
                        .description("Time to decide, without reading the request and logging.")
                        .publishPercentiles(0.5, 0.99, 0.999)
                        .register(registry);
        answered = unlogged(registry, "answered");
        refused = unlogged(registry, "refused");
    }

    private static Counter unlogged(MeterRegistry registry, String outcome) {
        return Counter.builder("counterflow.decisions.unlogged")
                .description("Decisions that Kafka did not acknowledge in time.")
                .tag("outcome", outcome)
                .register(registry);
    }

    void decided(long nanos) {
        decisions.record(nanos, TimeUnit.NANOSECONDS);
    }

    void answeredUnlogged() {
        answered.increment();
    }

    void refusedUnlogged() {
        refused.increment();
    }
}
