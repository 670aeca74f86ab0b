package io.counterflow.flink.windows;

import io.counterflow.flink.event.ScoredExample;
import io.counterflow.schemas.record.IpsWindowRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.testutils.MetricListener;
import org.jspecify.annotations.Nullable;

/** The windows of several loops, each with its time. */
final class WindowHarness {

    private final MetricListener metrics = new MetricListener();
    private final WindowMetrics windowMetrics = new WindowMetrics(metrics.getMetricGroup(), 2);
    private final WindowConfig config;
    private final Map<String, LoopWindows> loops = new TreeMap<>();
    private final Map<String, Long> times = new TreeMap<>();
    private final List<IpsWindowRecord> ended = new ArrayList<>();

    WindowHarness(long sizeMs, long slideMs) {
        config = new WindowConfig(Duration.ofMillis(sizeMs), Duration.ofMillis(slideMs));
    }

    void take(Judged... examples) {
        for (Judged example : examples) {
            take(example.timed());
        }
    }

    void take(Timed timed) {
        ScoredExample example = timed.example();
        LoopWindows windows =
                loops.computeIfAbsent(
                        example.loop(),
                        loop -> new LoopWindows(loop, config, new LoopPanes(new TreeMap<>())));
        long now =
                Math.max(
                        times.getOrDefault(example.loop(), timed.timeMicros()), timed.timeMicros());
        advance(example.loop(), now);
        if (!windows.add(example, now)) {
            windowMetrics.unwatched();
        }
        windowMetrics.audited(example.audit());
    }

    /** Moves the time of all loops on. */
    void advance(long ms) {
        List.copyOf(loops.keySet()).forEach(loop -> advance(loop, ms * 1_000L));
    }

    private void advance(String loop, long toMicros) {
        LoopWindows windows = Objects.requireNonNull(loops.get(loop));
        long from = times.getOrDefault(loop, toMicros);
        for (List<IpsWindowRecord> versions : windows.advance(from, toMicros)) {
            ended.addAll(versions);
            windowMetrics.ended(loop, versions);
        }
        times.put(loop, Math.max(from, toMicros));
    }

    /** Stores all panes and loads them again. */
    void restart() {
        loops.replaceAll(
                (loop, windows) -> {
                    TreeMap<Long, Pane> panes = new TreeMap<>();
                    windows.panes()
                            .byStart()
                            .forEach(
                                    (startMs, pane) ->
                                            panes.put(
                                                    startMs,
                                                    PaneConversion.toPane(
                                                            PaneConversion.toRecord(pane))));
                    return new LoopWindows(loop, config, new LoopPanes(panes));
                });
    }

    List<IpsWindowRecord> windows() {
        return ended;
    }

    /** Whether no window is open. */
    boolean isEmpty() {
        return loops.values().stream().allMatch(windows -> windows.panes().isEmpty());
    }

    long count(String name) {
        return metrics.getCounter(name).orElseThrow().getCount();
    }

    /** A gauge's value, by the labels before its name; null where there is none. */
    @Nullable Object gauge(String... name) {
        return metrics.getGauge(name).map(Gauge::getValue).orElse(null);
    }

    /**
     * An example at a time of its loop.
     *
     * @param timeMicros its time, in microseconds since 1970
     */
    record Timed(ScoredExample example, long timeMicros) {}
}
