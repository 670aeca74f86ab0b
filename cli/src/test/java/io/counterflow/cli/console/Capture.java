package io.counterflow.cli.console;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;

/** A terminal with captured streams and a clock that tests advance, and the probe command. */
public final class Capture {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final Terminal terminal;
    private long nowNs = 1_000; // not zero, like a real clock

    private Capture(boolean liveProgress, boolean debug) {
        terminal =
                new Terminal(
                        new PrintWriter(out),
                        new PrintWriter(err),
                        liveProgress,
                        debug,
                        () -> nowNs);
    }

    public static Capture plain() {
        return new Capture(false, false);
    }

    public static Capture live() {
        return new Capture(true, false);
    }

    public static Capture debugging() {
        return new Capture(false, true);
    }

    public int run(ProbeCommand.Work work, String... args) {
        var probe = new CommandGroup("Probing", List.of(new ProbeCommand(terminal, work)));
        return CommandLines.of(terminal, List.of(probe)).execute(args);
    }

    public int run(String... args) {
        return run(output -> {}, args);
    }

    public void pass(Duration time) {
        nowNs += time.toNanos();
    }

    public Terminal terminal() {
        return terminal;
    }

    public String out() {
        return out.toString();
    }

    public String err() {
        return err.toString();
    }
}
