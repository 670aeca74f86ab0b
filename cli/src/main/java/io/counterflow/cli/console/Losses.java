package io.counterflow.cli.console;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Counts the decisions that a conversion has kept, but not with all they had.
 *
 * @param <L> what is lost, in the order of the report
 */
public final class Losses<L extends Enum<L> & Losses.Loss> {

    /** What does not carry over. */
    public interface Loss {

        /** Its name in the JSON report. */
        String field();

        /** What the decisions of the count before it have. */
        String words();
    }

    private final Map<L, Long> counts;
    private final Set<L> ofDecision;

    public Losses(Class<L> losses) {
        this.counts = new EnumMap<>(losses);
        this.ofDecision = EnumSet.noneOf(losses);
    }

    /** Starts with a decision. */
    public void start() {
        ofDecision.clear();
    }

    /** Adds a loss of the current decision, which counts if the decision is kept. */
    public void add(L loss) {
        ofDecision.add(loss);
    }

    /** Says that the current decision is kept. */
    public void keep() {
        ofDecision.forEach(loss -> counts.merge(loss, 1L, Long::sum));
        ofDecision.clear();
    }

    /** Adds the counts to a report. */
    public void addTo(FieldReport report) {
        Map<String, Object> fields = new LinkedHashMap<>();
        counts.forEach(
                (loss, count) -> {
                    fields.put(loss.field(), count);
                    report.line(
                            "%s %s", Figures.count(count, "decision", "decisions"), loss.words());
                });
        report.field("notCarriedOver", fields);
    }
}
