package io.counterflow.cli.exports;

import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Losses;
import io.counterflow.cli.console.Rejections;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Writes the selected decisions, and counts what is left out and lost. */
final class Export {

    private final Selection selection;
    private final DecisionWriter writer;
    private final boolean inUnitOfLoop;
    private final Rejections<LeftOut> leftOut;
    private final Losses<ExportLoss> losses = new Losses<>(ExportLoss.class);
    private long records;
    private long exported;
    private double rewards;
    private long rewarded;
    private @Nullable Instant first;
    private @Nullable Instant last;

    /**
     * @param inUnitOfLoop whether the format has rewards in the unit of the loop, and not in [0, 1]
     */
    Export(
            Selection selection,
            DecisionWriter writer,
            boolean inUnitOfLoop,
            Rejections<LeftOut> leftOut) {
        this.selection = selection;
        this.writer = writer;
        this.inUnitOfLoop = inUnitOfLoop;
        this.leftOut = leftOut;
    }

    Selection selection() {
        return selection;
    }

    /** Writes a decision if it is selected. */
    void take(LoggedDecision decision) throws IOException {
        if (!selection.includes(decision.impression().loop(), decision.impression().time())) {
            return;
        }
        records++;
        losses.start();
        try {
            writer.write(decision, losses);
        } catch (LeftOutException e) {
            Map<String, Object> place = new LinkedHashMap<>();
            place.put("loop", decision.impression().loop());
            place.put("event", decision.impression().eventId());
            leftOut.add(place, e.reason(), e.detail());
            return;
        }
        losses.keep();
        count(decision);
    }

    private void count(LoggedDecision decision) {
        exported++;
        Instant time = decision.impression().time();
        first = first == null || time.isBefore(first) ? time : first;
        last = last == null || time.isAfter(last) ? time : last;
        OptionalDouble reward = inUnitOfLoop ? decision.reward() : decision.impression().reward();
        if (reward.isPresent()) {
            rewards += reward.getAsDouble();
            rewarded++;
        }
    }

    /** Counts a record that may be a decision, but cannot be read. */
    void reject(Map<String, Object> place, LeftOut reason, String detail) throws IOException {
        records++;
        leftOut.add(place, reason, detail);
    }

    long records() {
        return records;
    }

    long exported() {
        return exported;
    }

    void addTo(FieldReport report) {
        double meanReward = rewards / rewarded; // NaN without rewards
        report.field("records", records)
                .field("exported", exported)
                .field("meanReward", meanReward)
                .field("from", first == null ? null : first.toString())
                .field("to", last == null ? null : last.toString())
                .line(
                        "exported %s of %s, mean reward %s",
                        Figures.count(exported),
                        Figures.count(records, "decision", "decisions"),
                        Figures.of(meanReward))
                .line("from %s to %s", first, last);
        leftOut.addTo(report);
        losses.addTo(report);
    }
}
