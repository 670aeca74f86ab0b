package io.counterflow.cli.streaming;

import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Report;
import io.counterflow.core.log.Impression;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.config.JobConfig;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sends the impressions of a log with their recorded times. For one thread. */
final class Replay {

    /** Creates the first spec of a loop. */
    @FunctionalInterface
    interface FirstSpec {
        LoopSpec of(String loop, Instant time);
    }

    private static final int HEARTBEAT_EVERY = 1_000;

    /** Longest wait for the end of the log's last attribution window. */
    private static final Duration MAX_WAIT = Duration.ofMinutes(1);

    private final ImpressionProducer producer;
    private final Pace pace;
    private final Duration maxOutOfOrderness;
    private final InstantSource clock;
    private final Optional<FirstSpec> spec;
    private final Set<String> begun = new HashSet<>();

    private long sent;
    private long outOfOrder;
    private @Nullable Instant earliest;
    private Instant latest = Instant.EPOCH;
    private Instant lastWindowEnd = Instant.EPOCH;

    /**
     * @param spec the first spec of each loop in the log; empty if the loops already exist
     */
    Replay(
            ImpressionProducer producer,
            Pace pace,
            JobConfig config,
            InstantSource clock,
            Optional<FirstSpec> spec) {
        this.producer = producer;
        this.pace = pace;
        this.maxOutOfOrderness = config.watermarks().maxOutOfOrderness();
        this.clock = clock;
        this.spec = spec;
    }

    void send(Impression impression) {
        if (impression.choice().propensity().isEmpty()) {
            throw new IllegalArgumentException(
                    "propensity must be given, because the job does not estimate it, and is missing");
        }
        try {
            pace.await(impression.time());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while replaying", e);
        }
        if (spec.isPresent() && begun.add(impression.loop())) {
            producer.send(spec.get().of(impression.loop(), impression.time()));
        }
        producer.send(impression);
        note(impression);
        if (sent % HEARTBEAT_EVERY == 0) {
            producer.heartbeat(latest);
        }
    }

    private void note(Impression impression) {
        Instant time = impression.time();
        sent++;
        if (time.isBefore(latest.minus(maxOutOfOrderness))) {
            outOfOrder++; // the job may treat it as late
        }
        latest = max(latest, time);
        earliest = earliest == null || time.isBefore(earliest) ? time : earliest;
        Duration wait =
                impression.reward().isPresent()
                        ? Duration.ZERO
                        : impression.rewardRule().attributionWindow();
        lastWindowEnd = max(lastWindowEnd, time.plus(wait));
    }

    private static Instant max(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    /**
     * Moves event time past the last attribution window, so that the job emits the last examples.
     * Event time must not be ahead of the clock, so this waits for windows that end soon.
     *
     * @return whether the job can emit all examples
     */
    boolean finish() throws InterruptedException {
        if (sent == 0) {
            return true;
        }
        Instant past = lastWindowEnd.plus(maxOutOfOrderness).plusMillis(2);
        Duration ahead = Duration.between(clock.instant(), past);
        boolean reachable = ahead.compareTo(MAX_WAIT) <= 0;
        if (reachable && !ahead.isNegative()) {
            producer.flush();
            Thread.sleep(ahead.toMillis() + 1);
        }
        producer.heartbeat(reachable ? past : latest);
        producer.flush();
        return reachable;
    }

    /** Impressions older than an earlier one by more than the job's out-of-orderness. */
    long outOfOrder() {
        return outOfOrder;
    }

    Report report(long skipped) {
        return new FieldReport()
                .field("topic", producer.topic())
                .field("impressions", sent)
                .field("skipped", skipped)
                .field("outOfOrder", outOfOrder)
                .field("from", earliest)
                .field("to", sent == 0 ? null : latest)
                .line(
                        "%s on %s",
                        Figures.count(sent, "impression is", "impressions are"), producer.topic());
    }
}
