package io.counterflow.cli.imports;

import io.counterflow.cli.console.Losses;
import io.counterflow.cli.console.Rejections;
import io.counterflow.core.log.Impression;
import io.counterflow.schemas.log.LogWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Writes the decisions of an import, and counts what is rejected and lost. */
final class Intake {

    private final LogWriter log;
    private final Rejections<Rejection> rejections;
    private final Losses<Loss> losses = new Losses<>(Loss.class);
    private Path file = Path.of("");
    private long records;
    private double rewards;
    private long rewarded;

    Intake(LogWriter log, Rejections<Rejection> rejections) {
        this.log = log;
        this.rejections = rejections;
    }

    /** Starts with a file. */
    void start(Path next) {
        file = next;
    }

    /**
     * Writes the decision of a record, or rejects the record.
     *
     * @param line the number of its first line
     */
    void take(long line, Supplier<Impression> record) throws IOException {
        records++;
        losses.start();
        try {
            Impression impression = record.get();
            log.write(impression);
            count(impression);
        } catch (RejectedRecordException e) {
            rejections.add(place(line), e.reason(), e.detail());
        } catch (IllegalArgumentException e) {
            String message = String.valueOf(e.getMessage());
            rejections.add(place(line), Rejection.ofMessage(message), message);
        }
    }

    private Map<String, Object> place(long line) {
        Map<String, Object> place = new LinkedHashMap<>();
        place.put("file", file.toString());
        place.put("line", line);
        return place;
    }

    private void count(Impression impression) {
        if (impression.choice().propensity().isEmpty()) {
            lose(Loss.NO_PROPENSITY);
        }
        if (impression.reward().isPresent()) {
            rewards += impression.reward().getAsDouble();
            rewarded++;
        } else {
            lose(Loss.NO_REWARD);
        }
        losses.keep();
    }

    /** Counts the current record if it is imported. */
    void lose(Loss loss) {
        losses.add(loss);
    }

    /** Rejects what cannot be read any more. */
    void rejectRest(long line, String detail) throws IOException {
        records++;
        rejections.add(place(line), Rejection.DAMAGED, detail);
    }

    /** All records: those that were imported and those that were rejected. */
    long records() {
        return records;
    }

    long imported() {
        return log.impressions();
    }

    Rejections<Rejection> rejections() {
        return rejections;
    }

    Losses<Loss> losses() {
        return losses;
    }

    /** NaN without rewards. */
    double meanReward() {
        return rewards / rewarded;
    }
}
