package io.counterflow.flink.loop;

import java.util.Optional;

/** A place in the cache: a loop, or that there is none of this name. */
final class LoopSlot {

    private static final long BYTES_OF_NONE = 512;

    private Optional<HotLoop> loop;

    LoopSlot(Optional<HotLoop> loop) {
        this.loop = loop;
    }

    Optional<HotLoop> loop() {
        return loop;
    }

    void start(HotLoop started) {
        loop = Optional.of(started);
    }

    long bytes() {
        return loop.map(HotLoop::bytes).orElse(BYTES_OF_NONE);
    }
}
