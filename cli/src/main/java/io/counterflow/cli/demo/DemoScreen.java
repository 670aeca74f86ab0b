package io.counterflow.cli.demo;

import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.demo.DemoHistory.Learning;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Shows the demo's status: redrawn in place on a terminal, one line at a time elsewhere. */
final class DemoScreen {

    private static final long REDRAW_NS = Duration.ofMillis(500).toNanos();
    private static final long LINE_NS = Duration.ofSeconds(5).toNanos();
    private static final String ERASE_LINE = "\r\u001b[K";
    private static final String WRAP_OFF =
            "\u001b[?7l"; // the terminal cuts lines that are too long
    private static final String WRAP_ON = "\u001b[?7h";
    private static final String BOLD = "\u001b[1m";
    private static final String GREEN = "\u001b[32m";
    private static final String PLAIN = "\u001b[0m";
    private static final String LEVELS = "▁▂▃▄▅▆▇█";
    private static final int MAX_BAR = 40;
    private static final int MAX_SPARKLINE = 60;

    private final Terminal terminal;
    private final boolean colour;
    private long nextNs;
    private int drawn;

    DemoScreen(Terminal terminal, boolean colour) {
        this.terminal = terminal;
        this.colour = colour;
        this.nextNs = terminal.nanoTime().getAsLong();
    }

    /** Shows a status, unless the last one was shown just before. */
    void show(DemoStatus status) {
        long nowNs = terminal.nanoTime().getAsLong();
        if (nowNs - nextNs < 0) {
            return;
        }
        nextNs = nowNs + (terminal.liveProgress() ? REDRAW_NS : LINE_NS);
        if (terminal.liveProgress()) {
            draw(lines(status));
        } else {
            terminal.err().println(line(status));
        }
        terminal.err().flush();
    }

    private void draw(List<String> lines) {
        StringBuilder text = new StringBuilder(WRAP_OFF);
        if (drawn > 0) {
            text.append("\u001b[").append(drawn).append('A'); // up to the first line
        }
        lines.forEach(line -> text.append(ERASE_LINE).append(line).append('\n'));
        terminal.err().print(text.append(WRAP_ON));
        drawn = lines.size();
    }

    /** The status for a terminal; always the same number of lines. */
    List<String> lines(DemoStatus status) {
        Learning learning = status.learning();
        return List.of(
                emphasised(BOLD, "Counterflow demo · http://localhost:" + status.port()),
                "%s · %,d visits · %,d rewards · %,d joined · %,d late%s"
                        .formatted(
                                Figures.seconds(status.seconds()),
                                status.users().events(),
                                status.users().rewards(),
                                status.joined(),
                                status.late(),
                                problems(status, " · ")),
                "generation %d: version %d decides%s; %s"
                        .formatted(
                                learning.generations().size(),
                                learning.active().version(),
                                learning.candidate() == null
                                        ? ""
                                        : ", version %d is evaluated"
                                                .formatted(learning.candidate()),
                                Figures.count(learning.snapshots(), "snapshot", "snapshots")),
                "",
                bar("uniform", learning.uniform(), learning),
                bar("first policy", learning.first().trueValue(), learning),
                emphasised(GREEN, bar("now", learning.recent(), learning)),
                bar("at least", learning.active().lowerBound(), learning),
                bar("best possible", learning.best(), learning),
                "%13s  %s".formatted("over time", sparkline(learning)),
                "",
                learning.lastChange());
    }

    static String line(DemoStatus status) {
        Learning learning = status.learning();
        return "%s: %,d visits, %,d joined, generation %d (version %d of %d), reward %s, uniform %s, first policy %s, at least %s%s"
                .formatted(
                        Figures.seconds(status.seconds()),
                        status.users().events(),
                        status.joined(),
                        learning.generations().size(),
                        learning.active().version(),
                        learning.newestVersion(),
                        percent(learning.recent()),
                        percent(learning.uniform()),
                        percent(learning.first().trueValue()),
                        percent(learning.active().lowerBound()),
                        problems(status, ", "));
    }

    private static String problems(DemoStatus status, String separator) {
        long dead = status.deadLetters();
        long failures = status.users().failures();
        return (dead == 0 ? "" : "%s%,d dead".formatted(separator, dead))
                + (failures == 0 ? "" : "%s%,d calls failed".formatted(separator, failures));
    }

    private static String bar(String label, @Nullable Double value, Learning learning) {
        double share = value == null ? 0.0 : Math.min(1.0, Math.max(0.0, value / learning.best()));
        String bar = "█".repeat((int) Math.round(MAX_BAR * share));
        return "%13s  %7s  %s".formatted(label, percent(value), bar).stripTrailing();
    }

    private static String sparkline(Learning learning) {
        List<Double> values = learning.overTime();
        StringBuilder line = new StringBuilder();
        for (double value :
                values.subList(Math.max(0, values.size() - MAX_SPARKLINE), values.size())) {
            int level = (int) (value / learning.best() * LEVELS.length());
            line.append(LEVELS.charAt(Math.max(0, Math.min(LEVELS.length() - 1, level))));
        }
        return line.toString();
    }

    static String percent(@Nullable Double share) {
        return share == null ? "-" : Figures.percent(share);
    }

    private String emphasised(String code, String line) {
        return colour ? code + line + PLAIN : line;
    }
}
