package io.counterflow.e2e.failures;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What was done to a deployment, how long it took to recover, and what the topics say. */
final class Report {

    /**
     * A failure, with times from its begin.
     *
     * @param over until the cause was over: until what was killed was started again
     * @param decision until each serving process had answered a request that was sent after that
     * @param snapshot until a snapshot was committed that was frozen after that
     */
    record Injection(
            Instant begin,
            Failure failure,
            String target,
            Duration over,
            Duration decision,
            Duration snapshot) {}

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final List<Injection> injections = new ArrayList<>();
    private final StringBuilder rest = new StringBuilder();

    void add(Injection injection) {
        injections.add(injection);
    }

    void line(String format, @Nullable Object... values) {
        rest.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append(
                String.format(
                        Locale.ROOT,
                        "%-9s %-24s %-28s %8s %10s %10s%n",
                        "at",
                        "failure",
                        "of",
                        "over s",
                        "decision s",
                        "snapshot s"));
        for (Injection it : injections) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "%-9s %-24s %-28s %8.1f %10.1f %10.1f%n",
                            TIME.format(it.begin()),
                            it.failure().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                            it.target(),
                            seconds(it.over()),
                            seconds(it.decision()),
                            seconds(it.snapshot())));
        }
        return text.append(rest).toString();
    }

    private static double seconds(Duration time) {
        return time.toMillis() / 1_000.0;
    }
}
