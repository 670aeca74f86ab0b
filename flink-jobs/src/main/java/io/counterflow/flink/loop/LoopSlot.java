package io.counterflow.flink.loop;

import io.counterflow.schemas.record.QuarantineRecord;
import java.util.Optional;

/** An entry of the cache: a loop, the reason why it is quarantined, or nothing. */
final class LoopSlot {

    /** The sequence of a loop whose state cannot be decoded. */
    static final long UNKNOWN_SEQUENCE = 0;

    private static final long BYTES_OF_NONE = 512;

    private Optional<LoadedLoop> loop;
    private Optional<QuarantineRecord> quarantine;
    private boolean failed;

    LoopSlot(Optional<LoadedLoop> loop, Optional<QuarantineRecord> quarantine) {
        this.loop = loop;
        this.quarantine = quarantine;
    }

    /** The loop; empty if it has not started or is quarantined. */
    Optional<LoadedLoop> loop() {
        return loop;
    }

    void start(LoadedLoop started) {
        loop = Optional.of(started);
    }

    /** Why the loop takes no events; empty if it does. */
    Optional<QuarantineRecord> quarantine() {
        return quarantine;
    }

    void quarantine(QuarantineRecord record) {
        loop = Optional.empty();
        quarantine = Optional.of(record);
        failed = true;
    }

    /** Whether the loop has failed since it was loaded. */
    boolean hasFailed() {
        return failed;
    }

    /** Number of events so far; 0 if the loop has not started or if the number is unknown. */
    long sequence() {
        return quarantine
                .map(QuarantineRecord::getSequence)
                .orElseGet(() -> loop.map(LoadedLoop::sequence).orElse(0L));
    }

    /** Whether there is neither a loop nor a quarantine. */
    boolean isEmpty() {
        return loop.isEmpty() && quarantine.isEmpty();
    }

    long bytes() {
        return loop.map(LoadedLoop::bytes).orElse(BYTES_OF_NONE);
    }
}
