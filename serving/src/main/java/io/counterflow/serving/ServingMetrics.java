package io.counterflow.serving;

import io.counterflow.serving.kafka.KafkaRecordLog;
import io.counterflow.serving.policies.PolicyStore;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;

/** What is read from parts of the process whenever somebody asks for metrics. */
final class ServingMetrics {

    private ServingMetrics() {}

    static void bind(
            MeterRegistry registry, PolicyStore policies, ServingKafka kafka, Clock clock) {
        LoopMetrics.bind(registry, policies, clock);
        FunctionCounter.builder("counterflow.policies.refused", policies, PolicyStore::refused)
                .description("Specs, rollouts and snapshots that did not verify.")
                .register(registry);
        FunctionCounter.builder("counterflow.policies.swaps", policies, PolicyStore::swaps)
                .description("How often what a loop is served by was exchanged.")
                .register(registry);
        Gauge.builder("counterflow.loops", policies, it -> it.loops().size())
                .description("Loops that are served.")
                .register(registry);
        Gauge.builder(
                        "counterflow.loops.setback",
                        policies,
                        it ->
                                it.loops().values().stream()
                                        .filter(loop -> loop.setback().isPresent())
                                        .count())
                .description("Loops that other versions decide for than their rollout asks for.")
                .register(registry);
        waiting(registry, "impressions", kafka.impressions());
        waiting(registry, "rewards", kafka.rewards());
    }

    private static void waiting(MeterRegistry registry, String topic, KafkaRecordLog log) {
        Gauge.builder("counterflow.records.waiting", log, KafkaRecordLog::waiting)
                .description("Records that Kafka has not acknowledged yet.")
                .tag("topic", topic)
                .register(registry);
    }
}
