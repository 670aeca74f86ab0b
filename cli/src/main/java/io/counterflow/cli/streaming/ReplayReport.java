package io.counterflow.cli.streaming;

import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Report;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was replayed.
 *
 * @param topic where to
 * @param impressions how many
 * @param skipped broken lines that were not
 * @param outOfOrder impressions that were older than their predecessors by more than the job allows
 * @param from time of the earliest; null when there was none
 * @param to time of the latest; null when there was none
 */
record ReplayReport(
        String topic,
        long impressions,
        long skipped,
        long outOfOrder,
        @Nullable Instant from,
        @Nullable Instant to)
        implements Report {

    @Override
    public String toText() {
        return "%s on %s"
                .formatted(Figures.count(impressions, "impression is", "impressions are"), topic);
    }

    @Override
    public Object toJson() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("topic", topic);
        json.put("impressions", impressions);
        json.put("skipped", skipped);
        json.put("outOfOrder", outOfOrder);
        json.put("from", from);
        json.put("to", to);
        return json;
    }
}
