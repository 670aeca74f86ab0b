package io.counterflow.flink.loop;

import io.counterflow.flink.event.LoopPosition;
import java.util.Optional;

/**
 * A place in the cache: a loop, or that there is none of this name, and how far it has come in its
 * events. A loop that has not begun counts its events as well: what was refused for want of a spec
 * must not be followed by a spec that comes before it, which a replay would take first.
 */
public final class LoopSlot {

    private static final long BYTES_OF_NONE = 512;

    private Optional<LoadedLoop> loop;
    private LoopPosition position;

    /**
     * @param position the last event that was taken or refused
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

    /** The last event that was taken or refused. */
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
