package io.counterflow.benchmarks.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Samples of one quantity. It is flat if the mean of the last third of the samples is not above
 * that of the middle third by more than a tenth, or by more than a slack. The first third is not
 * judged: caches and buffers fill up.
 */
final class Series {

    private static final double MAX_GROWTH = 0.1;

    private final String name;
    private final String unit;
    private final double slack;
    private final List<Double> samples = new ArrayList<>();

    /**
     * @param slack growth that is allowed in any case
     */
    Series(String name, String unit, double slack) {
        this.name = name;
        this.unit = unit;
        this.slack = slack;
    }

    void add(double sample) {
        samples.add(sample);
    }

    boolean isFlat() {
        return third(2) <= third(1) + allowed();
    }

    private double allowed() {
        return Math.max(slack, MAX_GROWTH * third(1));
    }

    /** The mean of a third of the samples. */
    private double third(int number) {
        int from = samples.size() * number / 3;
        int to = samples.size() * (number + 1) / 3;
        return samples.subList(from, to).stream()
                .mapToDouble(Double::doubleValue)
                .average()
                .orElse(Double.NaN);
    }

    static String headings() {
        return """
        | | first third | middle third | last third | highest | allowed growth | |
        |---|---:|---:|---:|---:|---:|---|""";
    }

    /** A row of a table in Markdown. */
    String row() {
        return String.format(
                Locale.ROOT,
                "| %s, %s | %.0f | %.0f | %.0f | %.0f | %.0f | %s |",
                name,
                unit,
                third(0),
                third(1),
                third(2),
                samples.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN),
                allowed(),
                isFlat() ? "flat" : "GROWS");
    }
}
