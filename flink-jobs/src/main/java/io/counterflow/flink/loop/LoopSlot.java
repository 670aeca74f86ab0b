package io.counterflow.flink.loop;

import io.counterflow.flink.event.LoopPosition;
import java.util.Optional;

/**
 * An entry of the cache: a loop, if it has started, and the position of its last event. A loop that
 * has not started has a position as well: after an event was refused because there was no spec, an
 * earlier spec must not start the loop, because a batch run would process that spec first.
 */
public final class LoopSlot {

    private static final long BYTES_OF_NONE = 512;

    private Optional<LoadedLoop> loop;
    private LoopPosition position;

    /**
     * @param position the last event that was processed or refused
     */
    LoopSlot(Optional<LoadedLoop> loop, LoopPosition position) {
        this.loop = loop;
        this.position = position;
    }

    public Optional<LoadedLoop> loop() {
        return loop;
    }

    public void start(LoadedLoop started) {
        loop = Optional.of(started);
    }

    /** The last event that was processed or refused. */
    LoopPosition position() {
        return position;
    }

    void moveTo(LoopPosition next) {
        position = next;
    }

    long bytes() {
        return loop.map(LoadedLoop::bytes).orElse(BYTES_OF_NONE);
    }
}
