package io.counterflow.serving;

import io.counterflow.client.policies.KnownVersion;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

/** Metrics of each loop: the versions that decide, and the age of its newest snapshot. */
final class ServedLoopMetrics {

    /** Limit on loops with metrics of their own. */
    private static final int MAX_LOOPS = 1_000;

    private final MeterRegistry registry;
    private final PolicyStore policies;
    private final Clock clock;
    private final Map<String, List<Meter>> registered = new ConcurrentHashMap<>();

    private ServedLoopMetrics(MeterRegistry registry, PolicyStore policies, Clock clock) {
        this.registry = registry;
        this.policies = policies;
        this.clock = clock;
    }

    static void bind(MeterRegistry registry, PolicyStore policies, Clock clock) {
        ServedLoopMetrics metrics = new ServedLoopMetrics(registry, policies, clock);
        policies.onSwap(loop -> metrics.register(loop.spec().loop()));
        policies.onRemoval(metrics::remove);
        policies.loops().keySet().forEach(metrics::register); // loops from before the listener
    }

    private void register(String loop) {
        if (registered.containsKey(loop) || registered.size() >= MAX_LOOPS) {
            return;
        }
        registered.computeIfAbsent(loop, this::meters);
    }

    /** Makes room for the metrics of other loops. */
    private void remove(String loop) {
        List<Meter> meters = registered.remove(loop);
        if (meters != null) {
            meters.forEach(registry::remove);
        }
    }

    private List<Meter> meters(String loop) {
        return List.of(
                gauge(
                        loop,
                        "counterflow.loop.policy.version",
                        "Version that decides all events but the canary's.",
                        it -> it.active().version()),
                gauge(
                        loop,
                        "counterflow.loop.canary.share",
                        "Share of events that the canary decides.",
                        ServedLoop::canaryShare),
                Gauge.builder("counterflow.loop.snapshot.age", this, it -> it.ageSeconds(loop))
                        .description("Age of the newest snapshot, in event time.")
                        .baseUnit("seconds")
                        .tag("loop", loop)
                        .register(registry));
    }

    private Gauge gauge(
            String loop, String name, String description, ToDoubleFunction<ServedLoop> value) {
        return Gauge.builder(
                        name,
                        policies,
                        it -> it.loop(loop).map(value::applyAsDouble).orElse(Double.NaN))
                .description(description)
                .tag("loop", loop)
                .register(registry);
    }

    /** Not a number without a snapshot, so that no alert takes it for a new one. */
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
