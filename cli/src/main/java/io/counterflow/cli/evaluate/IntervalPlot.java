package io.counterflow.cli.evaluate;

import io.counterflow.cli.console.Figures;
import io.counterflow.core.estimate.Estimate;
import io.counterflow.core.estimate.Interval;
import io.counterflow.schemas.file.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A plot of estimates with their intervals, as SVG. Each policy has a row per estimator: a point, a
 * line for the normal interval and a wide bar for the guaranteed one. A dashed line is the mean of
 * the logged rewards.
 */
final class IntervalPlot {

    private static final List<String> SHOWN =
            List.of(
                    EvaluationFields.CLIPPED_RATIO_IPS,
                    EvaluationFields.SELF_NORMALIZED,
                    EvaluationFields.DOUBLY_ROBUST);

    private static final int WIDTH = 900;
    private static final int LEFT = 330; // of the axis
    private static final int RIGHT = 30;
    private static final int TOP = 40;
    private static final int ROW = 22;
    private static final int HEADING = 30;
    private static final int BOTTOM = 70;

    /** A guaranteed interval may be so much longer than the others before it is cut. */
    private static final double LONGEST = 3.0;

    private static final int TICKS = 6;

    /** One line of the plot. */
    private record Row(
            String label, double value, Interval normal, @Nullable Interval guaranteed) {}

    /** The rows of the whole log or of a segment. */
    private record Group(String title, double logged, List<Row> rows) {}

    private final String title;
    private final List<Group> groups = new ArrayList<>();
    private final StringBuilder svg = new StringBuilder();

    private IntervalPlot(String title) {
        this.title = title;
    }

    /** Writes the plot of all results. */
    static void write(
            Path file,
            String loop,
            List<List<PolicyResult>> parts,
            Optional<Segments.Division> division)
            throws IOException {
        IntervalPlot plot = new IntervalPlot("Estimated values on the log of " + loop);
        plot.add("all examples", parts.get(0));
        division.ifPresent(
                it -> {
                    for (int k = 0; k < it.parts().size(); k++) {
                        plot.add(it.by() + " = " + it.parts().get(k).name(), parts.get(k + 1));
                    }
                });
        try (AtomicFile out = AtomicFile.create(file)) {
            out.out().write(plot.draw().getBytes(StandardCharsets.UTF_8));
            out.commit();
        }
    }

    private void add(String name, List<PolicyResult> policies) {
        List<Row> rows = new ArrayList<>();
        for (PolicyResult policy : policies) {
            Map<String, Estimate> estimates = EvaluationFields.estimates(policy.result());
            for (String estimator : SHOWN) {
                Estimate estimate = estimates.get(estimator);
                if (estimate != null) {
                    rows.add(
                            new Row(
                                    shortened(policy.policy()) + "  " + estimator,
                                    estimate.value(),
                                    estimate.normalInterval(),
                                    policy.betting().get(estimator)));
                }
            }
        }
        var first = policies.get(0).result();
        groups.add(
                new Group(
                        "%s (%s)".formatted(name, Figures.count(first.n())),
                        first.onPolicyMean().value(),
                        List.copyOf(rows)));
    }

    /** The end of a long name, which is the name of the file. */
    private static String shortened(String name) {
        return name.length() <= 28 ? name : "…" + name.substring(name.length() - 27);
    }

    private String draw() {
        double largest = largest();
        double step = step(largest);
        double end = Math.ceil(largest / step) * step;
        int height = TOP + BOTTOM;
        for (Group group : groups) {
            height += HEADING + ROW * group.rows().size();
        }
        line(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"sans-serif\" font-size=\"13\" role=\"img\">",
                WIDTH, height, WIDTH, height);
        line("<title>%s</title>", escaped(title));
        line("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>", WIDTH, height);
        text(WIDTH / 2.0, 24, "middle", "#222222", title);
        drawTicks(step, end, height);
        int y = TOP;
        for (Group group : groups) {
            y = drawGroup(group, y, end);
        }
        drawLegend(height - 16);
        return svg.append("</svg>\n").toString();
    }

    private double largest() {
        double largest = 0.0;
        double longest = 0.0;
        for (Group group : groups) {
            largest = Math.max(largest, group.logged());
            for (Row row : group.rows()) {
                double upper = row.normal().upper();
                largest = Math.max(largest, Double.isFinite(upper) ? upper : row.value());
                longest =
                        row.guaranteed() == null
                                ? longest
                                : Math.max(longest, row.guaranteed().upper());
            }
        }
        double shown = Math.max(largest, Math.min(longest, LONGEST * largest));
        return shown > 0.0 ? shown : 1.0;
    }

    /** 1, 2 or 5 times a power of ten. */
    private static double step(double largest) {
        double raw = largest / TICKS;
        double power = Math.pow(10.0, Math.floor(Math.log10(raw)));
        double factor = raw / power;
        return power * (factor <= 1.0 ? 1.0 : factor <= 2.0 ? 2.0 : factor <= 5.0 ? 5.0 : 10.0);
    }

    private void drawTicks(double step, double end, int height) {
        int bottom = height - BOTTOM + 6;
        int count = (int) Math.round(end / step);
        for (int k = 0; k <= count; k++) {
            double x = x(k * step, end);
            line(
                    "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#e2e2e2\"/>",
                    x, TOP, x, bottom);
            text(x, bottom + 16, "middle", "#555555", Figures.setting(k * step));
        }
    }

    private int drawGroup(Group group, int top, double end) {
        int y = top + HEADING;
        text(12, y - 10, "start", "#222222", group.title());
        int bottom = y + ROW * group.rows().size();
        double logged = x(group.logged(), end);
        line(
                "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#c0392b\" stroke-dasharray=\"4 3\"/>",
                logged, y - 4, logged, bottom);
        for (Row row : group.rows()) {
            drawRow(row, y + ROW / 2.0, end);
            y += ROW;
        }
        return bottom;
    }

    private void drawRow(Row row, double y, double end) {
        text(LEFT - 12, y + 4, "end", "#222222", row.label());
        Interval guaranteed = row.guaranteed();
        if (guaranteed != null) {
            double from = x(guaranteed.lower(), end);
            double to = x(guaranteed.upper(), end);
            line(
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"10\" fill=\"#bcd7ee\"/>",
                    from, y - 5, Math.max(1.0, to - from));
            if (guaranteed.upper() > end) {
                line(
                        "<path d=\"M %.1f %.1f l 8 6 l -8 6 z\" fill=\"#bcd7ee\"><title>to %s</title></path>",
                        to, y - 6, Figures.of(guaranteed.upper()));
            }
        }
        line(
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#1f5f99\" stroke-width=\"2\"/>",
                x(row.normal().lower(), end), y, x(row.normal().upper(), end), y);
        line("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#1f5f99\"/>", x(row.value(), end), y);
    }

    private void drawLegend(int y) {
        line(
                "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#1f5f99\" stroke-width=\"2\"/>",
                LEFT, y - 4, LEFT + 24, y - 4);
        line("<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"#1f5f99\"/>", LEFT + 12, y - 4);
        text(LEFT + 30, y, "start", "#555555", "normal interval");
        line(
                "<rect x=\"%d\" y=\"%d\" width=\"24\" height=\"10\" fill=\"#bcd7ee\"/>",
                LEFT + 150, y - 9);
        text(LEFT + 180, y, "start", "#555555", "guaranteed interval");
        line(
                "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#c0392b\" stroke-dasharray=\"4 3\"/>",
                LEFT + 330, y - 4, LEFT + 354, y - 4);
        text(LEFT + 360, y, "start", "#555555", "mean of the logged rewards");
    }

    /** The position of a value, within the axis. */
    private static double x(double value, double end) {
        double share = Math.max(0.0, Math.min(1.0, value / end));
        return LEFT + share * (WIDTH - LEFT - RIGHT);
    }

    private void text(double x, double y, String anchor, String colour, String text) {
        line(
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>",
                x, y, anchor, colour, escaped(text));
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation's library is not a dependency
    private void line(String format, Object... arguments) {
        svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }

    /**
     * Text that is safe in XML: markup is escaped, and characters that XML forbids are replaced.
     */
    private static String escaped(String text) {
        StringBuilder safe = new StringBuilder();
        text.codePoints()
                .forEach(
                        c -> {
                            switch (c) {
                                case '<' -> safe.append("&lt;");
                                case '>' -> safe.append("&gt;");
                                case '&' -> safe.append("&amp;");
                                case '"' -> safe.append("&quot;");
                                default -> safe.appendCodePoint(isAllowed(c) ? c : '\uFFFD');
                            }
                        });
        return safe.toString();
    }

    private static boolean isAllowed(int c) {
        return (c >= 0x20 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) || c >= 0x10000;
    }
}
