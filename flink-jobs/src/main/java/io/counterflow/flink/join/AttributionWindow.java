package io.counterflow.flink.join;

import io.counterflow.flink.ingest.FeedbackEvent;
import java.util.Optional;

/**
 * The time in which rewards of an impression count, both ends included. It is on the heap, so that
 * a reward does not read the impression.
 *
 * @param startMicros time of the impression, in microseconds since 1970
 * @param endMicros when the example is complete; for an impression with a reward, its own time
 * @param prejoined whether the impression has a reward
 */
record AttributionWindow(long startMicros, long endMicros, boolean prejoined) {

    private static final long MICROS_PER_MS = 1_000L;

    static AttributionWindow of(FeedbackEvent impression) {
        long start = impression.timeMicros();
        return new AttributionWindow(
                start, start + impression.waitMs() * MICROS_PER_MS, impression.prejoined());
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
