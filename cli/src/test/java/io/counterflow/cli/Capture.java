package io.counterflow.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;

/** A terminal whose streams and clock a test holds in its hands, with the probe as its command. */
final class Capture {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final Terminal terminal;
    private long nowNs = 1_000; // clocks do not start at zero

    private Capture(boolean liveProgress, boolean debug) {
        terminal =
                new Terminal(
                        new PrintWriter(out),
                        new PrintWriter(err),
                        liveProgress,
                        debug,
                        () -> nowNs);
    }

    static Capture plain() {
        return new Capture(false, false);
    }

    static Capture live() {
        return new Capture(true, false);
    }

    static Capture debugging() {
        return new Capture(false, true);
    }

    int run(ProbeCommand.Work work, String... args) {
        var probe = new CommandGroup("Probing", List.of(new ProbeCommand(terminal, work)));
        return CommandLines.of(terminal, List.of(probe)).execute(args);
    }

    int run(String... args) {
        return run(output -> {}, args);
    }

    void pass(Duration time) {
        nowNs += time.toNanos();
    }

    Terminal terminal() {
        return terminal;
    }

    String out() {
        return out.toString();
    }

    String err() {
        return err.toString();
    }
}
