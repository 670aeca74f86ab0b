package io.counterflow.cli.demo;

import io.counterflow.cli.console.Output;
import io.counterflow.cli.traffic.StopSignal;
import io.counterflow.cli.traffic.World;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;

/** One run of the demo, from its start to its report. */
public final class DemoRun {

    /** Users per second, if the machine is quick enough. */
    private static final double RATE = 300.0;

    private static final Duration TICK = Duration.ofMillis(100);

    private final DemoSettings settings;
    private final StopSignal stop;
    private final DemoScreen screen;
    private final Output output;
    private final long startNs = System.nanoTime();
    private OptionalDouble firstDecision = OptionalDouble.empty();
    private OptionalDouble firstSnapshot = OptionalDouble.empty();

    public DemoRun(DemoSettings settings, StopSignal stop, DemoScreen screen, Output output) {
        this.settings = settings;
        this.stop = stop;
        this.screen = screen;
        this.output = output;
    }

    /**
     * Runs.
     *
     * @param traffic how long users come; empty for as long as nobody stops it
     * @param headless whether it ends with them
     */
    public DemoReport until(Optional<Duration> traffic, boolean headless) throws Exception {
        World world = settings.world();
        try (DemoDirectory directory =
                DemoDirectory.open(
                        settings.directory(),
                        settings.dataset(),
                        settings.seed(),
                        settings.fresh())) {
            StartCheck.requireAll(settings.port(), directory.root());
            output.note(
                    directory.continued()
                            ? "going on in %s after %,d visits"
                                    .formatted(directory.root(), directory.events())
                            : "data is kept in " + directory.root());
            DemoLog log = DemoLog.to(directory.log());
            try {
                DemoStatus end = run(directory, world, traffic, headless);
                return new DemoReport(end, directory.events(), firstDecision, firstSnapshot);
            } finally {
                log.close();
            }
        }
    }

    private DemoStatus run(
            DemoDirectory directory, World world, Optional<Duration> traffic, boolean headless)
            throws Exception {
        try (Demo demo =
                Demo.start(
                        directory,
                        world,
                        settings.port(),
                        RATE,
                        settings.seed(),
                        stop::isSet,
                        output::note)) {
            if (!stop.isSet()) {
                output.note("http://localhost:%d shows it; Ctrl-C stops it".formatted(demo.port()));
            }
            long endNs = System.nanoTime() + traffic.orElse(Duration.ofDays(36_500)).toNanos();
            boolean over = false;
            DemoStatus status = demo.status();
            while (!over && System.nanoTime() - endNs < 0) {
                over = stop.await(TICK);
                status = look(demo);
            }
            demo.endTraffic();
            if (!over && !headless) {
                output.note("no more users come; the page stays until Ctrl-C");
                while (!stop.await(TICK)) {
                    status = look(demo);
                }
            }
            output.note("stopping");
            return status;
        }
    }

    private DemoStatus look(Demo demo) {
        DemoStatus status = demo.status();
        if (demo.failure().isPresent()) {
            throw new IllegalStateException(
                    "%s; demo.log in %s says more"
                            .formatted(demo.failure().get(), settings.directory()));
        }
        double seconds = (System.nanoTime() - startNs) / 1e9;
        if (firstDecision.isEmpty() && status.traffic().events() > 0) {
            firstDecision = OptionalDouble.of(seconds);
        }
        if (firstSnapshot.isEmpty() && demo.newSnapshots() > 0) {
            firstSnapshot = OptionalDouble.of(seconds);
        }
        screen.show(status);
        return status;
    }
}
