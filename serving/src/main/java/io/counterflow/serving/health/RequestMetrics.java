package io.counterflow.serving.health;

import io.counterflow.serving.http.RequestIds;
import io.counterflow.serving.http.RequestWatch;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Counts requests by endpoint and status, and logs defects. */
public final class RequestMetrics implements RequestWatch {

    private static final Duration[] BUCKETS = {
        Duration.ofNanos(100_000),
        Duration.ofNanos(250_000),
        Duration.ofNanos(500_000),
        Duration.ofMillis(1),
        Duration.ofMillis(2),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(2)
    };
    private static final int MAX_FRAMES = 20;

    private record Kind(String route, int status) {}

    private final MeterRegistry registry;
    private final ServingLog log;
    private final Map<Kind, Timer> timers = new ConcurrentHashMap<>();

    public RequestMetrics(MeterRegistry registry, ServingLog log) {
        this.registry = registry;
        this.log = log;
    }

    @Override
    public void answered(
            String route, int status, long nanos, RequestIds ids, @Nullable Throwable failure) {
        timers.computeIfAbsent(new Kind(route, status), this::timer)
                .record(nanos, TimeUnit.NANOSECONDS);
        if (failure != null) {
            Map<String, String> fields = new TreeMap<>();
            fields.put("route", route);
            fields.put("requestId", ids.requestId());
            ids.trace().ifPresent(it -> fields.put("traceparent", it.text()));
            fields.put("failure", failure.getClass().getName()); // its message may quote user data
            StringBuilder frames = new StringBuilder();
            StackTraceElement[] trace = failure.getStackTrace();
            for (int i = 0; i < Math.min(MAX_FRAMES, trace.length); i++) {
                frames.append(i == 0 ? "" : " < ").append(trace[i]);
            }
            fields.put("at", frames.toString());
            log.error("request-failed", fields);
        }
    }

    private Timer timer(Kind kind) {
        return Timer.builder("counterflow.http.requests")
                .description("Time from the first byte of a request to its response.")
                .tag("route", kind.route())
                .tag("status", Integer.toString(kind.status()))
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }
}
