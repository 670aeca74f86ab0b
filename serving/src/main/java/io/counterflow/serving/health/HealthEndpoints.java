package io.counterflow.serving.health;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The endpoints of the management port. */
public final class HealthEndpoints {

    private static final int MAX_LISTED = 100;

    private final PolicyStore policies;
    private final BooleanSupplier caughtUp;
    private final BooleanSupplier stopping;
    private final PrometheusMeterRegistry metrics;

    /**
     * @param caughtUp whether all policies have been loaded
     * @param stopping whether the process is about to stop
     */
    public HealthEndpoints(
            PolicyStore policies,
            BooleanSupplier caughtUp,
            BooleanSupplier stopping,
            PrometheusMeterRegistry metrics) {
        this.policies = policies;
        this.caughtUp = caughtUp;
        this.stopping = stopping;
        this.metrics = metrics;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.open("/livez", call -> Reply.text("text/plain", "alive\n")),
                Endpoint.open("/readyz", this::ready),
                Endpoint.open(
                        "/metrics",
                        call ->
                                Reply.text(
                                        "text/plain; version=0.0.4; charset=utf-8",
                                        metrics.scrape())));
    }

    private record Readiness(
            boolean ready,
            boolean caughtUp,
            boolean stopping,
            int loops,
            long refusedRecords,
            List<DegradedLoop> degradedLoops) {}

    private record DegradedLoop(String loop, long servedVersion, String reason) {}

    /** Whether the process can answer calls, and which loops are degraded. */
    private Reply ready(Call call) {
        boolean isCaughtUp = caughtUp.getAsBoolean();
        boolean isStopping = stopping.getAsBoolean();
        boolean ready = isCaughtUp && !isStopping;
        List<DegradedLoop> degraded =
                policies.loops().values().stream()
                        .filter(loop -> loop.degradedReason().isPresent())
                        .limit(MAX_LISTED)
                        .map(
                                loop ->
                                        new DegradedLoop(
                                                loop.spec().loop(),
                                                loop.active().version(),
                                                loop.degradedReason().get()))
                        .toList();
        return Reply.json(
                ready ? 200 : 503,
                new Readiness(
                        ready,
                        isCaughtUp,
                        isStopping,
                        policies.loops().size(),
                        policies.refused(),
                        degraded));
    }
}
