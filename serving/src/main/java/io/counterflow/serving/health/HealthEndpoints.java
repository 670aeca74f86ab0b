package io.counterflow.serving.health;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.core.text.JsonName;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Map;

/** The endpoints of the management port. */
public final class HealthEndpoints {

    private static final int MAX_LISTED = 100;

    private final PolicyStore policies;
    private final ProcessHealth health;
    private final PrometheusMeterRegistry metrics;

    public HealthEndpoints(
            PolicyStore policies, ProcessHealth health, PrometheusMeterRegistry metrics) {
        this.policies = policies;
        this.health = health;
        this.metrics = metrics;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.open("/livez", this::alive),
                Endpoint.open("/readyz", this::ready),
                Endpoint.open(
                        "/metrics",
                        call ->
                                Reply.text(
                                        "text/plain; version=0.0.4; charset=utf-8",
                                        metrics.scrape())));
    }

    /** Fails when only a restart helps. */
    private Reply alive(Call call) {
        List<String> defects = health.defects();
        return defects.isEmpty()
                ? Reply.text("text/plain", "alive\n")
                : Reply.text(503, "text/plain", String.join("\n", defects) + "\n");
    }

    private record Readiness(
            boolean ready,
            boolean caughtUp,
            boolean stopping,
            String kafka,
            List<String> failures,
            List<String> defects,
            int loops,
            long refusedRecords,
            List<DegradedLoop> degradedLoops,
            List<RefusedLoop> refusedLoops) {}

    private record DegradedLoop(String loop, long servedVersion, String reason) {}

    private record RefusedLoop(String loop, String reason) {}

    /** Whether the process can answer calls, and which loops are degraded or refused. */
    private Reply ready(Call call) {
        boolean isCaughtUp = health.caughtUp();
        boolean isStopping = health.stopping();
        List<String> failures = health.failures();
        List<String> defects = health.defects();
        boolean ready = isCaughtUp && !isStopping && failures.isEmpty() && defects.isEmpty();
        List<DegradedLoop> degraded =
                policies.degraded().entrySet().stream()
                        .limit(MAX_LISTED)
                        .sorted(Map.Entry.comparingByKey())
                        .map(
                                it ->
                                        new DegradedLoop(
                                                it.getKey(),
                                                it.getValue().active().version(),
                                                it.getValue().degradedReason().orElseThrow()))
                        .toList();
        List<RefusedLoop> refused =
                policies.refusedLoops().entrySet().stream()
                        .limit(MAX_LISTED)
                        .sorted(Map.Entry.comparingByKey())
                        .map(it -> new RefusedLoop(it.getKey(), it.getValue()))
                        .toList();
        return Reply.json(
                ready ? 200 : 503,
                new Readiness(
                        ready,
                        isCaughtUp,
                        isStopping,
                        JsonName.of(health.kafka()),
                        failures,
                        defects,
                        policies.size(),
                        policies.refused(),
                        degraded,
                        refused));
    }
}
