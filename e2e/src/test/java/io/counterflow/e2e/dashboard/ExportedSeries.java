package io.counterflow.e2e.dashboard;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Metrics in the text format of Prometheus, with their labels.
 *
 * @param labels by metric
 */
record ExportedSeries(Map<String, Set<String>> labels) {

    private static final Pattern SERIES =
            Pattern.compile("^([a-zA-Z_:][\\w:]*)(?:\\{(.*)})? \\S+$", Pattern.MULTILINE);
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"(?:\\\\.|[^\"\\\\])*\"(?:,|$)");

    /** Labels and metrics that Prometheus adds to every target. */
    private static final Map<String, Set<String>> OWN = Map.of("up", Set.of());

    private static final Set<String> OWN_LABELS = Set.of("job", "instance");

    static ExportedSeries of(String text) {
        Map<String, Set<String>> labels = new HashMap<>(OWN);
        Matcher series = SERIES.matcher(text);
        while (series.find()) {
            Set<String> known = labels.computeIfAbsent(series.group(1), it -> new HashSet<>());
            if (series.group(2) != null) {
                Matcher label = LABEL.matcher(series.group(2));
                while (label.find()) {
                    known.add(label.group(1));
                }
            }
        }
        return new ExportedSeries(labels);
    }

    /** The metrics and labels of a query that are not exported. */
    List<String> missing(String query) {
        QueriedMetrics queried = QueriedMetrics.of(query);
        List<String> missing = new ArrayList<>();
        Set<String> seen = new HashSet<>(OWN_LABELS);
        queried.selected()
                .forEach(
                        (metric, selectors) -> {
                            Set<String> known = labels.get(metric);
                            if (known == null) {
                                missing.add(metric);
                                return;
                            }
                            seen.addAll(known);
                            selectors.stream()
                                    .filter(it -> !known.contains(it) && !OWN_LABELS.contains(it))
                                    .forEach(it -> missing.add(metric + "{" + it + "}"));
                        });
        if (missing.isEmpty()) { // otherwise their labels would be missing too
            queried.grouped().stream()
                    .filter(it -> !seen.contains(it))
                    .forEach(it -> missing.add("by (" + it + ")"));
        }
        return missing;
    }
}
