package io.counterflow.serving.rank;

import io.counterflow.client.kafka.ImpressionLog;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.ValueAtPercentile;
import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Metrics of decisions. */
public final class RankMetrics {

    private static final double MEDIAN = 0.5;
    private static final double PERCENTILE_99 = 0.99;

    private final Timer decisions;
    private final Timer logged;
    private final Consumer<String> unlogged;
    private final Counter answered;
    private final Counter refused;
    private final Counter undelivered;

    /**
     * @param impressions whose retractions are watched
     * @param unlogged receives the loop of each decision that was not logged
     */
    public RankMetrics(
            MeterRegistry registry, ImpressionLog impressions, Consumer<String> unlogged) {
        this.unlogged = unlogged;
        decisions =
                Timer.builder("counterflow.decision")
                        .description("Time to decide, without reading the request and logging.")
                        .publishPercentiles(0.5, 0.99, 0.999)
                        .register(registry);
        logged =
                Timer.builder("counterflow.decision.logged")
                        .description("Time to decide and until Kafka has the decision.")
                        .publishPercentiles(MEDIAN, PERCENTILE_99)
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

    void logged(long nanos) {
        logged.record(nanos, TimeUnit.NANOSECONDS);
    }

    void answeredUnlogged(String loop) {
        answered.increment();
        unlogged.accept(loop);
    }

    void undelivered() {
        undelivered.increment();
    }

    void refusedUnlogged(String loop) {
        refused.increment();
        unlogged.accept(loop);
    }

    /** How long decisions took in the last minutes. */
    public RankTimes times() {
        ValueAtPercentile[] percentiles = logged.takeSnapshot().percentileValues();
        return new RankTimes(seconds(percentiles, MEDIAN), seconds(percentiles, PERCENTILE_99));
    }

    /** Without recent decisions, Micrometer reports zero. */
    private static OptionalDouble seconds(ValueAtPercentile[] percentiles, double percentile) {
        return Arrays.stream(percentiles)
                .filter(it -> it.percentile() == percentile)
                .mapToDouble(it -> it.value(TimeUnit.SECONDS))
                .filter(it -> it > 0.0)
                .findFirst();
    }
}
