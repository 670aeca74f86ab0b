package io.counterflow.cli.console;

import io.counterflow.core.numeric.Require;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The progress of long work on standard error: percentage, rate and remaining time.
 *
 * <p>On a terminal one line is redrawn. Elsewhere, as in the log of a build, a line is printed
 * every few seconds. Short work prints nothing. For one thread; cheap enough to be called per
 * example.
 */
public final class Progress implements AutoCloseable {

    private static final long LIVE_INTERVAL_NS = Duration.ofMillis(200).toNanos();
    private static final long FIRST_LINE_NS = Duration.ofSeconds(2).toNanos();
    private static final long LINE_INTERVAL_NS = Duration.ofSeconds(5).toNanos();
    private static final String DRAW_OVER = "\r\u001b[K"; // to the start of the line, and erase it

    private final @Nullable Terminal terminal;
    private final String label;
    private final String unit;
    private final long total;
    private final long startNs;

    private long done;
    private long nextLineNs;
    private boolean shown;

    /**
     * @param terminal where to show the progress; null to print nothing
     */
    Progress(@Nullable Terminal terminal, String label, String unit, long total) {
        this.terminal = terminal;
        this.label = label;
        this.unit = unit;
        this.total = Require.atLeast(0, total, "total");
        this.startNs = terminal == null ? 0 : terminal.nanoTime().getAsLong();
        this.nextLineNs =
                terminal != null && terminal.liveProgress() ? LIVE_INTERVAL_NS : FIRST_LINE_NS;
    }

    public void advance(long count) {
        done += count;
        if (terminal == null) {
            return;
        }
        long elapsedNs = terminal.nanoTime().getAsLong() - startNs;
        if (elapsedNs < nextLineNs) {
            return;
        }
        nextLineNs = elapsedNs + (terminal.liveProgress() ? LIVE_INTERVAL_NS : LINE_INTERVAL_NS);
        show(terminal, status(elapsedNs / 1e9));
    }

    /** Prints a last line with the total, if there was a line before. */
    @Override
    public void close() {
        if (terminal == null || !shown) {
            return;
        }
        double elapsed = (terminal.nanoTime().getAsLong() - startNs) / 1e9;
        show(terminal, label + ": " + amount() + " in " + Figures.seconds(elapsed));
        if (terminal.liveProgress()) {
            terminal.err().println();
            terminal.err().flush();
        }
        shown = false; // a second close prints nothing
    }

    private void show(Terminal on, String status) {
        if (on.liveProgress()) {
            on.err().print(DRAW_OVER + status);
        } else {
            on.err().println(status);
        }
        on.err().flush();
        shown = true;
    }

    private String status(double elapsed) {
        double rate = done / elapsed;
        StringBuilder status = new StringBuilder(label).append(": ");
        if (total > 0) {
            status.append(Math.min(100, 100 * done / total)).append(" %, ");
        }
        status.append(amount()).append(", ").append(rate(rate)).append("/s");
        if (total > 0 && rate > 0) {
            status.append(", ")
                    .append(Figures.seconds(Math.max(0, total - done) / rate))
                    .append(" left");
        }
        return status.toString();
    }

    private String amount() {
        String of = done != total ? " of " + Figures.count(total) : "";
        return Figures.count(done) + of + " " + unit;
    }

    private static String rate(double rate) {
        return rate < 100 ? Figures.of(rate) : Figures.count(Math.round(rate));
    }
}
