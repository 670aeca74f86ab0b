package io.counterflow.cli.demo;

import io.counterflow.cli.console.Figures;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The demo's status as a few lines that fit a terminal, or as one line for a log. */
final class DemoView {

    private static final String LEVELS = "▁▂▃▄▅▆▇█";
    private static final String BOLD = "\u001b[1m";
    private static final String GREEN = "\u001b[32m";
    private static final String PLAIN = "\u001b[0m";
    private static final int LABEL = 13;
    private static final int MAX_BAR = 40;
    private static final int NUMBERS = 8;

    private final boolean colour;

    DemoView(boolean colour) {
        this.colour = colour;
    }

    /**
     * The lines of a terminal.
     *
     * @param width how many columns it has; no line is longer
     */
    List<String> lines(DemoStatus status, int width) {
        DemoStatus.Traffic traffic = status.traffic();
        DemoStatus.Learning learning = status.learning();
        List<String> lines = new ArrayList<>();
        String where = "http://localhost:" + status.port();
        lines.add(emphasised(fit("Counterflow demo · " + where, width), BOLD));
        lines.add(
                fit(
                        "%s · %s visits · %s rewards · %s joined · %s late%s"
                                .formatted(
                                        Figures.seconds(status.elapsed().toMillis() / 1e3),
                                        Figures.count(traffic.events()),
                                        Figures.count(traffic.rewards()),
                                        Figures.count(traffic.joined()),
                                        Figures.count(traffic.late()),
                                        trouble(traffic)),
                        width));
        lines.add(fit(versions(learning), width));
        lines.add("");
        DemoStatus.Values values = status.values();
        Generation first = learning.generations().get(0);
        double scale = Math.max(values.best(), 1e-9);
        lines.add(bar("uniform", values.uniform(), scale, width));
        lines.add(bar("first policy", first.trueValue().orElse(Double.NaN), scale, width));
        lines.add(emphasised(bar("now", values.recent(), scale, width), GREEN));
        lines.add(bar("at least", learning.active().lowerBound().orElse(Double.NaN), scale, width));
        lines.add(bar("best possible", values.best(), scale, width));
        lines.add(fit(padded("over time") + sparkline(values, width - LABEL - 2), width));
        lines.add("");
        lines.add(fit(learning.lastChange(), width));
        return lines;
    }

    private static String trouble(DemoStatus.Traffic traffic) {
        String dead = traffic.dead() == 0 ? "" : " · " + Figures.count(traffic.dead()) + " dead";
        return traffic.failures() == 0
                ? dead
                : dead + " · " + Figures.count(traffic.failures()) + " calls failed";
    }

    private static String versions(DemoStatus.Learning learning) {
        String judged =
                learning.candidate().isPresent()
                        ? ", version %d is judged".formatted(learning.candidate().getAsLong())
                        : "";
        return "generation %d: version %d decides%s; %s"
                .formatted(
                        learning.generations().size(),
                        learning.active().version(),
                        judged,
                        Figures.count(learning.snapshots(), "snapshot", "snapshots"));
    }

    private static String bar(String label, double value, double scale, int width) {
        int room = Math.min(MAX_BAR, width - LABEL - 2 - NUMBERS);
        if (Double.isNaN(value)) {
            return fit(padded(label) + "-", width);
        }
        int length =
                (int) Math.round(Math.max(0, room) * Math.min(1.0, Math.max(0.0, value / scale)));
        return fit(padded(label) + number(value) + "  " + "█".repeat(length), width);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    private static String padded(String label) {
        return " ".repeat(LABEL - label.length()) + label + "  ";
    }

    private static String sparkline(DemoStatus.Values values, int room) {
        List<Double> newest = values.overTime();
        int from = Math.max(0, newest.size() - Math.max(0, room));
        StringBuilder line = new StringBuilder();
        for (double value : newest.subList(from, newest.size())) {
            double level = value / Math.max(values.best(), 1e-9) * LEVELS.length();
            line.append(LEVELS.charAt((int) Math.max(0, Math.min(LEVELS.length() - 1, level))));
        }
        return line.toString();
    }

    private static String fit(String line, int width) {
        return line.length() <= width ? line : line.substring(0, Math.max(0, width - 1)) + "…";
    }

    private String emphasised(String line, String code) {
        return colour ? code + line + PLAIN : line;
    }

    /** One line, for where nothing can be drawn over. */
    String line(DemoStatus status) {
        DemoStatus.Learning learning = status.learning();
        DemoStatus.Values values = status.values();
        return "%s: %s visits, %s joined, generation %d (version %d of %d), reward %s, uniform %s, first policy %s, at least %s%s"
                .formatted(
                        Figures.seconds(status.elapsed().toMillis() / 1e3),
                        Figures.count(status.traffic().events()),
                        Figures.count(status.traffic().joined()),
                        learning.generations().size(),
                        learning.active().version(),
                        learning.newestVersion(),
                        orDash(values.recent()),
                        number(values.uniform()),
                        orDash(learning.generations().get(0).trueValue().orElse(Double.NaN)),
                        orDash(learning.active().lowerBound().orElse(Double.NaN)),
                        trouble(status.traffic()).replace(" · ", ", "));
    }

    private static String orDash(double value) {
        return Double.isNaN(value) ? "-" : number(value);
    }
}
