package io.counterflow.serving.health;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Whether Kafka answers this process, by its heartbeats. A heartbeat that is late does not count:
 * it takes some seconds without any until Kafka is away. Thread-safe.
 */
public final class KafkaLink {

    /** What is known about Kafka. */
    public enum State {
        /** The process is starting, and no broker has answered yet. */
        CONNECTING,
        /** Kafka has acknowledged a heartbeat in the last seconds. */
        CONNECTED,
        /** Kafka has acknowledged none for some seconds. */
        AWAY
    }

    private final Duration patience;
    private final LongSupplier nanoTime;
    private volatile boolean connected;
    private volatile long answeredNanos;

    /**
     * @param patience how long Kafka may be silent
     */
    public KafkaLink(Duration patience, LongSupplier nanoTime) {
        this.patience = patience;
        this.nanoTime = nanoTime;
    }

    /** Kafka has acknowledged a record. */
    public void answered() {
        answeredNanos = nanoTime.getAsLong();
        connected = true;
    }

    public State state() {
        if (!connected) {
            return State.CONNECTING;
        }
        return nanoTime.getAsLong() - answeredNanos <= patience.toNanos()
                ? State.CONNECTED
                : State.AWAY;
    }
}
