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
 */
final class WaitingDecision extends Due {

    private final String key;
    private @Nullable AttributionWindow window; // null until the impression arrives
    private @Nullable Segment segment; // as the window
    private int offset;
    private long checksum;
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

    /** Whether an impression has the same bytes as the one that waits. */
    boolean isCopy(long ofImpression) {
        return checksum == ofImpression;
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
