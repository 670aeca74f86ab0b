package io.counterflow.flink.join;

import io.counterflow.flink.ingest.FeedbackEvent;
import java.util.Optional;

/**
 * The time in which rewards of an impression count, both ends included. It is on the heap, so that
 * a reward does not read the impression.
 *
 * <p>Callers get an answer when Kafka has stored the impression, and count from then. So the window
 * starts at the decision and has its full length from Kafka's timestamp on.
 *
 * @param startMicros time of the impression, in microseconds since 1970
 * @param endMicros when the example is complete; for an impression with a reward, its own time
 * @param prejoined whether the impression has a reward
 */
record AttributionWindow(long startMicros, long endMicros, boolean prejoined) {

    private static final long MICROS_PER_MS = 1_000L;

    /** An impression that was stored later is from an old log, and its answer is not waited for. */
    private static final long MAX_ANSWER_MICROS = 30_000_000L;

    static AttributionWindow of(FeedbackEvent impression) {
        long start = impression.timeMicros();
        if (impression.prejoined()) {
            return new AttributionWindow(start, start, true);
        }
        long stored = impression.raw().timestampMs() * MICROS_PER_MS;
        boolean live = stored > start && stored - start <= MAX_ANSWER_MICROS;
        return new AttributionWindow(
                start, (live ? stored : start) + impression.waitMs() * MICROS_PER_MS, false);
    }

    /**
     * The watermark at which the window closes. Rounded down, like Flink's timestamps of rewards:
     * every reward in the window has arrived by then or is late.
     */
    long closesAtMs() {
        return toMs(endMicros);
    }

    static long toMs(long micros) {
        return Math.floorDiv(micros, MICROS_PER_MS);
    }

    /** Why feedback of this time does not count; empty if it does. */
    Optional<LateReason> refuses(long timeMicros, long earlinessMicros) {
        if (prejoined) {
            return Optional.of(LateReason.ALREADY_REWARDED);
        }
        if (timeMicros > endMicros) {
            return Optional.of(LateReason.REWARD_AFTER_WINDOW);
        }
        if (timeMicros < startMicros - earlinessMicros) {
            return Optional.of(LateReason.REWARD_BEFORE_IMPRESSION);
        }
        return Optional.empty();
    }
}
