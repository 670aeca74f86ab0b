package io.counterflow.serving.http;

import java.util.concurrent.atomic.AtomicLong;

/** The memory for large bodies, from their first byte to the answer. Thread-safe. */
final class BodyMemory {

    private final long maxBytes;
    private final AtomicLong used = new AtomicLong();

    BodyMemory(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Takes memory; false if there is not enough. */
    boolean take(long bytes) {
        if (used.addAndGet(bytes) > maxBytes) {
            used.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    void release(long bytes) {
        used.addAndGet(-bytes);
    }
}
