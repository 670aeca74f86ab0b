package io.counterflow.serving.overview;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.serving.pipeline.LoopPipelines;
import io.counterflow.serving.stats.WindowStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rows of all loops. They are computed on a worker thread, at most once in a while however many
 * callers there are, and not at all without callers. Thread-safe.
 */
public final class LoopOverview {

    static final Duration MAX_AGE = Duration.ofSeconds(2);

    private final Vertx vertx;
    private final PolicyStore policies;
    private final LoopPipelines pipelines;
    private final WindowStore windows;
    private final LongSupplier nanoClock;
    private @Nullable Future<List<LoopRow>> newest; // null before the first call
    private long computedNanos;

    public LoopOverview(
            Vertx vertx, PolicyStore policies, LoopPipelines pipelines, WindowStore windows) {
        this(vertx, policies, pipelines, windows, System::nanoTime);
    }

    LoopOverview(
            Vertx vertx,
            PolicyStore policies,
            LoopPipelines pipelines,
            WindowStore windows,
            LongSupplier nanoClock) {
        this.vertx = vertx;
        this.policies = policies;
        this.pipelines = pipelines;
        this.windows = windows;
        this.nanoClock = nanoClock;
    }

    /** The rows of all loops, the worst first. */
    synchronized Future<List<LoopRow>> rows() {
        Future<List<LoopRow>> known = newest;
        long now = nanoClock.getAsLong();
        if (known != null
                && !known.failed()
                && (!known.isComplete() || now - computedNanos < MAX_AGE.toNanos())) {
            return known;
        }
        computedNanos = now;
        Future<List<LoopRow>> next = vertx.executeBlocking(this::compute, false);
        newest = next;
        return next;
    }

    private List<LoopRow> compute() {
        List<LoopRow> rows = new ArrayList<>();
        Map<String, ServedLoop> served = policies.loops();
        for (ServedLoop loop : served.values()) {
            // Without what concerns other loops, because the rows are those of all callers.
            rows.add(
                    LoopRow.of(
                            loop,
                            pipelines.facts(loop, false),
                            windows.newest(loop.spec().loop())));
        }
        policies.refusedLoops()
                .forEach(
                        (loop, reason) -> {
                            if (!served.containsKey(loop)) {
                                rows.add(LoopRow.refused(loop, reason));
                            }
                        });
        rows.sort(LoopRow.WORST_FIRST);
        return List.copyOf(rows);
    }
}
