package io.counterflow.flink.join;

import io.counterflow.flink.join.WaitingLog.Segment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A decision whose window is open, or that is known only from feedback that arrived before it. The
 * impression itself is in the log.
 *
 * <p>An event that was asked for again has a decision for each answer. They form a list from the
 * newest to the oldest, and the newest one has the feedback of the event. A restart may change the
 * order of the list, so nothing else may depend on it.
 */
final class WaitingDecision extends Due {

    private final String key;
    private @Nullable AttributionWindow window; // null until the impression arrives
    private @Nullable Segment segment; // as the window
    private int offset;
    private long checksum;
    private @Nullable WaitingDecision earlier; // null unless the event was asked for again
    private boolean retracted;
    private boolean conflicting;
    private List<WaitingFeedback> feedback = List.of(); // most decisions have none

    WaitingDecision(int bucket, String key) {
        super(bucket);
        this.key = key;
    }

    /** Called when the impression arrives. */
    void open(AttributionWindow opened, long ofImpression, WaitingLog.Place place) {
        window = opened;
        checksum = ofImpression;
        segment = place.segment();
        offset = place.offset();
        dueAt(opened.closesAtMs());
    }

    String key() {
        return key;
    }

    /** Its window; null until the impression arrives. */
    @Nullable AttributionWindow window() {
        return window;
    }

    /** Makes this the newest decision of an event. */
    void follow(WaitingDecision newest) {
        earlier = newest;
        feedback = newest.feedback;
        newest.feedback = List.of();
    }

    /** The decision of the same event that arrived before; null for the first. */
    @Nullable WaitingDecision earlier() {
        return earlier;
    }

    /** The decisions of the event without one of them; null if there is no other. */
    @Nullable WaitingDecision without(WaitingDecision removed) {
        if (this == removed) {
            if (earlier != null) {
                earlier.feedback = feedback;
            }
            return earlier;
        }
        WaitingDecision it = this;
        while (it.earlier != removed) {
            it = Objects.requireNonNull(it.earlier, "a decision of another event");
        }
        it.earlier = removed.earlier;
        return this;
    }

    /** How often the event was decided. */
    int decisions() {
        int count = 0;
        for (WaitingDecision it = this; it != null; it = it.earlier) {
            count++;
        }
        return count;
    }

    /** The decision of the event whose impression has this checksum; null if there is none. */
    @Nullable WaitingDecision withChecksum(long ofImpression) {
        WaitingDecision it = this;
        while (it != null && it.checksum != ofImpression) {
            it = it.earlier;
        }
        return it;
    }

    /** Whether it was taken at a time. */
    boolean isTakenAt(long micros) {
        return window != null && window.startMicros() == micros;
    }

    /** Whether a decision of the event is due at a time. */
    boolean hasDueAt(long ms) {
        WaitingDecision it = this;
        while (it != null && it.dueMs() != ms) {
            it = it.earlier;
        }
        return it != null;
    }

    /** The decision of the event whose window closes last. */
    WaitingDecision lastToClose() {
        WaitingDecision last = this;
        for (WaitingDecision it = earlier; it != null; it = it.earlier) {
            if (it.dueMs() > last.dueMs()) {
                last = it;
            }
        }
        return last;
    }

    /** Whether the event has a decision that was not retracted. */
    boolean isAnswered() {
        WaitingDecision it = this;
        while (it != null && it.retracted) {
            it = it.earlier;
        }
        return it != null;
    }

    /** Whether the answer did not reach the caller. */
    boolean isRetracted() {
        return retracted;
    }

    void retract() {
        retracted = true;
    }

    /** Whether the event has another decision that may have been shown. */
    boolean isConflicting() {
        return conflicting;
    }

    void markConflicting() {
        conflicting = true;
    }

    long checksum() {
        return checksum;
    }

    /** The length and the CRC of an impression. */
    static long checksum(byte[] impression) {
        CRC32C crc = new CRC32C();
        crc.update(impression, 0, impression.length);
        return ((long) impression.length << Integer.SIZE) | crc.getValue();
    }

    /** The segment of its impression. */
    Segment segment() {
        return Objects.requireNonNull(segment);
    }

    int offset() {
        return offset;
    }

    @Override
    Position position() {
        return new Position(segment().id(), offset);
    }

    /** Its feedback, in the order of arrival. */
    List<WaitingFeedback> feedback() {
        return feedback;
    }

    void feedback(List<WaitingFeedback> left) {
        feedback = left;
    }

    @Nullable WaitingFeedback sameAs(WaitingFeedback other) {
        for (WaitingFeedback waiting : feedback) {
            if (waiting.isCopyOf(other)) {
                return waiting;
            }
        }
        return null;
    }

    void add(WaitingFeedback added) {
        if (feedback.isEmpty()) {
            feedback = new ArrayList<>(1);
        }
        feedback.add(added);
    }

    void remove(WaitingFeedback removed) {
        feedback.remove(removed);
    }
}
