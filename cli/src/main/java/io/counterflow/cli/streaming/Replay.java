package io.counterflow.cli.streaming;

import io.counterflow.core.log.Impression;
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

    /** Impressions between two heartbeats. */
    private static final int HEARTBEAT_EVERY = 1_000;

    /** Most time to wait at the end until the clock has passed the log's last window. */
    private static final Duration MAX_WAIT = Duration.ofMinutes(1);

    private final ImpressionProducer producer;
    private final Pace pace;
    private final Duration maxOutOfOrderness;
    private final InstantSource clock;
    private final Optional<SpecFile> spec;
    private final Set<String> begun = new HashSet<>();

    private long sent;
    private long outOfOrder;
    private @Nullable Instant earliest;
    private Instant latest = Instant.EPOCH;
    private Instant lastWindowEnd = Instant.EPOCH;

    /**
     * @param spec the spec that each loop of the log begins with; empty where loops have theirs
     */
    Replay(
            ImpressionProducer producer,
            Pace pace,
            JobConfig config,
            InstantSource clock,
            Optional<SpecFile> spec) {
        this.producer = producer;
        this.pace = pace;
        this.maxOutOfOrderness = config.watermarks().maxOutOfOrderness();
        this.clock = clock;
        this.spec = spec;
    }

    void send(Impression impression) {
        if (impression.choice().propensity().isEmpty()) {
            throw new IllegalArgumentException(
                    "propensity must be given, because the job learns none, and is missing");
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
            outOfOrder++; // the job may have passed it by already
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
     * Moves event time past the last window, so that the last examples come out as well. Time on
     * topics is never ahead of the clock, so a log that ends just now has to be waited for.
     *
     * @return whether the job can finish all examples
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

    ReplayReport report(long skipped) {
        return new ReplayReport(
                producer.topic(), sent, skipped, outOfOrder, earliest, sent == 0 ? null : latest);
    }
}
