package io.counterflow.serving;

import io.counterflow.client.policies.KnownVersion;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

/** What is told of each loop whenever somebody asks: who decides, and how old its snapshots are. */
final class ServedLoopMetrics {

    /** Loops that have series of their own; who has more watches them in sum. */
    private static final int MAX_LOOPS = 1_000;

    private final MeterRegistry registry;
    private final PolicyStore policies;
    private final Clock clock;
    private final Set<String> told = ConcurrentHashMap.newKeySet();

    private ServedLoopMetrics(MeterRegistry registry, PolicyStore policies, Clock clock) {
        this.registry = registry;
        this.policies = policies;
        this.clock = clock;
    }

    static void bind(MeterRegistry registry, PolicyStore policies, Clock clock) {
        ServedLoopMetrics metrics = new ServedLoopMetrics(registry, policies, clock);
        policies.onSwap(loop -> metrics.tell(loop.spec().loop()));
        policies.loops().keySet().forEach(metrics::tell); // what came before we listened
    }

    private void tell(String loop) {
        if (told.size() >= MAX_LOOPS || !told.add(loop)) {
            return;
        }
        gauge(
                loop,
                "counterflow.loop.policy.version",
                "Version that decides all events but the canary's.",
                it -> it.active().version());
        gauge(
                loop,
                "counterflow.loop.canary.share",
                "Share of events that the canary decides.",
                ServedLoop::canaryShare);
        Gauge.builder("counterflow.loop.snapshot.age", this, it -> it.ageSeconds(loop))
                .description("Event time of the newest snapshot, seen from now.")
                .baseUnit("seconds")
                .tag("loop", loop)
                .register(registry);
    }

    private void gauge(
            String loop, String name, String description, ToDoubleFunction<ServedLoop> value) {
        Gauge.builder(
                        name,
                        policies,
                        it -> it.loop(loop).map(value::applyAsDouble).orElse(Double.NaN))
                .description(description)
                .tag("loop", loop)
                .register(registry);
    }

    /** Not a number where there is no snapshot, so that no alert mistakes that for a fresh one. */
    private double ageSeconds(String loop) {
        List<KnownVersion> versions =
                policies.loop(loop).map(ServedLoop::versions).orElse(List.of());
        if (versions.isEmpty()) {
            return Double.NaN;
        }
        Instant newest = versions.get(versions.size() - 1).createdAt();
        return Duration.between(newest, clock.instant()).toMillis() / 1e3;
    }
}
