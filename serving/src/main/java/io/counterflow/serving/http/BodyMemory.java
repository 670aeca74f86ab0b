package io.counterflow.serving.http;

import java.util.HashMap;
import java.util.Map;

/**
 * The memory for large bodies, from their first byte to the answer. One client gets at most a
 * quarter of it, or one body. Thread-safe.
 */
final class BodyMemory {

    private static final int SHARES = 4;

    private final long maxBytes;
    private final Map<String, Long> held = new HashMap<>();
    private long total;

    BodyMemory(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Takes memory; false if there is not enough for the client. */
    synchronized boolean take(String client, long bytes) {
        long own = held.getOrDefault(client, 0L);
        if (total + bytes > maxBytes || (own > 0 && own + bytes > maxBytes / SHARES)) {
            return false;
        }
        held.put(client, own + bytes);
        total += bytes;
        return true;
    }

    /** Takes memory back that was given to the client. */
    synchronized void release(String client, long bytes) {
        held.computeIfPresent(client, (name, own) -> own == bytes ? null : own - bytes);
        total -= bytes;
    }
}
