package io.counterflow.cli.demo;

import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.StopSignal;
import io.counterflow.cli.console.Table;
import io.counterflow.cli.demo.DemoHistory.Generation;
import io.counterflow.cli.demo.DemoHistory.Learning;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One run of a started demo: shows its status until the end, then reports the results. */
final class DemoRun {

    private static final Duration TICK = Duration.ofMillis(100);

    /** Versions in the table of the report, besides the first. */
    private static final int NEWEST_ROWS = 15;

    private final Demo demo;
    private final StopSignal stop;
    private final DemoScreen screen;
    private final Output output;
    private DemoStatus status;
    private @Nullable Double secondsToFirstDecision;
    private @Nullable Double secondsToFirstSnapshot;

    DemoRun(Demo demo, StopSignal stop, DemoScreen screen, Output output) {
        this.demo = demo;
        this.stop = stop;
        this.screen = screen;
        this.output = output;
        this.status = demo.status();
    }

    /**
     * Runs the demo.
     *
     * @param traffic the duration of the traffic; empty for no limit
     * @param headless whether the demo ends with the traffic
     */
    void await(Optional<Duration> traffic, boolean headless) throws InterruptedException {
        output.note(
                "dashboard: http://localhost:%d; Kafka: %s; Ctrl-C stops the demo"
                        .formatted(demo.port(), demo.bootstrapServers()));
        long endNs = System.nanoTime() + traffic.orElse(StopSignal.NEVER).toNanos();
        boolean over = false;
        while (!over && System.nanoTime() - endNs < 0) {
            over = stop.await(TICK);
            update();
        }
        demo.endTraffic();
        if (!over && !headless) {
            output.note("the traffic has ended; the dashboard stays up until Ctrl-C");
            while (!stop.await(TICK)) {
                update();
            }
        }
        output.note("stopping");
    }

    private void update() {
        status = demo.status();
        demo.requireRunning();
        if (secondsToFirstDecision == null && status.users().events() > 0) {
            secondsToFirstDecision = status.seconds();
        }
        if (secondsToFirstSnapshot == null && demo.hasNewSnapshots(status)) {
            secondsToFirstSnapshot = status.seconds();
        }
        screen.show(status);
    }

    /**
     * @param totalEvents the events of all runs
     */
    Report report(long totalEvents) {
        Learning learning = status.learning();
        Double recent = learning.recent();
        return new FieldReport()
                .line(
                        "%s in %s; %s, the first and the newest of them:",
                        Figures.count(status.users().events(), "visit", "visits"),
                        Figures.seconds(status.seconds()),
                        Figures.count(
                                learning.generations().size(),
                                "version has decided",
                                "versions have decided"))
                .table(table(learning.generations()))
                .line(
                        "uniform %s, best possible %s, now %s",
                        Figures.percent(learning.uniform()),
                        Figures.percent(learning.best()),
                        DemoScreen.percent(recent))
                .field("events", status.users().events())
                .field("generations", learning.generations())
                .field("baselineReward", learning.uniform())
                .field("finalReward", recent)
                .field("firstReward", learning.first().meanReward())
                .field("bestReward", learning.best())
                .field("totalEvents", totalEvents)
                .field("rewards", status.users().rewards())
                .field("joined", status.joined())
                .field("late", status.late())
                .field("deadLetters", status.deadLetters())
                .field("failedCalls", status.users().failures())
                .field("snapshots", learning.snapshots())
                .field("newestVersion", learning.newestVersion())
                .field("seconds", status.seconds())
                .field("secondsToFirstDecision", secondsToFirstDecision)
                .field("secondsToFirstSnapshot", secondsToFirstSnapshot)
                .field("maxHeapBytes", Runtime.getRuntime().maxMemory());
    }

    /** The first version, and the newest ones: a loop without a gate has hundreds. */
    private static Table table(List<Generation> generations) {
        Table table =
                Table.withColumns("version", "examples", "mean reward", "at least", "true value");
        int newest = Math.max(1, generations.size() - NEWEST_ROWS);
        row(generations.get(0), table);
        generations.subList(newest, generations.size()).forEach(it -> row(it, table));
        return table;
    }

    private static void row(Generation generation, Table table) {
        table.row(
                Long.toString(generation.version()),
                generation.examples(),
                aligned(generation.meanReward()),
                aligned(generation.lowerBound()),
                aligned(generation.trueValue()));
    }

    /** With the points below each other. */
    private static String aligned(@Nullable Double share) {
        return "%6s".formatted(DemoScreen.percent(share));
    }
}
