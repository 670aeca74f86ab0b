package io.counterflow.serving.rank;

import io.counterflow.client.kafka.ImpressionLog;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;

/** Metrics of decisions. */
public final class RankMetrics {

    private final Timer decisions;
    private final Counter answered;
    private final Counter refused;
    private final Counter undelivered;

    /**
     * @param impressions whose retractions are watched
     */
    public RankMetrics(MeterRegistry registry, ImpressionLog impressions) {
        decisions =
                Timer.builder("counterflow.decision")
                        .description("Time to decide, without reading the request and logging.")
                        .publishPercentiles(0.5, 0.99, 0.999)
                        .register(registry);
        answered = unlogged(registry, "answered");
        refused = unlogged(registry, "refused");
        undelivered =
                Counter.builder("counterflow.decisions.undelivered")
                        .description("Decisions whose callers left before the answer.")
                        .register(registry);
        Gauge.builder(
                        "counterflow.retractions.pending",
                        impressions,
                        ImpressionLog::pendingRetractions)
                .description("Retractions of decisions that Kafka has not acknowledged yet.")
                .register(registry);
        FunctionCounter.builder(
                        "counterflow.retractions.lost", impressions, ImpressionLog::lostRetractions)
                .description("Retractions that were given up; such decisions may be learned from.")
                .register(registry);
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

    void undelivered() {
        undelivered.increment();
    }

    void refusedUnlogged() {
        refused.increment();
    }
}
