package io.counterflow.serving.pipeline;

import io.counterflow.serving.diagnosis.FlowCount;
import io.counterflow.serving.diagnosis.RecentCount;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** A count of the last minutes, from reports that each cover some time. Not thread-safe. */
final class ReportedCount {

    /** Length of the time that the rate is about, unless a report is longer. */
    private static final long RATE_MS = 20_000;

    private final Deque<Report> reports = new ArrayDeque<>();

    private record Report(long fromMs, long toMs, long count) {

        long lengthMs() {
            return Math.max(1, toMs - fromMs);
        }

        /** The number of records after a time, if they came evenly. */
        double countAfter(long timeMs) {
            return count * Math.min(1.0, (double) (toMs - timeMs) / lengthMs());
        }
    }

    void add(long fromMs, long toMs, long count) {
        reports.addLast(new Report(Math.min(fromMs, toMs), toMs, count));
        reports.removeIf(it -> it.toMs() <= toMs - RecentCount.SPAN.toMillis());
    }

    FlowCount read(long nowMs) {
        reports.removeIf(it -> it.toMs() <= nowMs - RecentCount.SPAN.toMillis());
        if (reports.isEmpty()) {
            return FlowCount.none();
        }
        long recent = 0;
        long firstMs = Long.MAX_VALUE;
        Report newest = reports.getLast();
        for (Report report : reports) {
            recent += report.count();
            firstMs = Math.min(firstMs, report.fromMs());
            newest = report.toMs() > newest.toMs() ? report : newest;
        }
        return new FlowCount(
                recent,
                rate(newest, firstMs, nowMs),
                Optional.of(Instant.ofEpochMilli(newest.toMs())),
                Optional.of(Instant.ofEpochMilli(firstMs)));
    }

    /** The rate at the end of the newest report; zero if the next one should have come by now. */
    private double rate(Report newest, long firstMs, long nowMs) {
        if (nowMs - newest.toMs() > 2 * newest.lengthMs() + RATE_MS) {
            return 0.0;
        }
        long startMs = Math.max(firstMs, newest.toMs() - Math.max(RATE_MS, newest.lengthMs()));
        double count = 0.0;
        for (Report report : reports) {
            if (report.toMs() > startMs) {
                count += report.countAfter(startMs);
            }
        }
        return count * 1_000.0 / Math.max(1, newest.toMs() - startMs);
    }
}
