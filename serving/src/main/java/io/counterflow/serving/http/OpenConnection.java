package io.counterflow.serving.http;

import io.vertx.core.http.HttpConnection;
import java.time.Duration;

/**
 * A connection, and the time at which it is closed. Bytes do not move this time, so a client cannot
 * keep a connection by sending a request slowly. There is none while a request is being answered.
 * Used by the event loop of the connection only.
 */
final class OpenConnection {

    /** Lets the sender of a refused body read the answer before the connection is closed. */
    private static final Duration LINGER = Duration.ofSeconds(1);

    private final HttpConnection connection;
    private final String address;
    private final HttpLimits limits;
    private boolean reading;
    private boolean answering;
    private boolean closing;
    private boolean hasDeadline;
    private long deadlineNanos;

    OpenConnection(HttpConnection connection, String address, HttpLimits limits) {
        this.connection = connection;
        this.address = address;
        this.limits = limits;
        closeAfter(limits.headTimeout());
    }

    /** The client, if it has no token. */
    String address() {
        return address;
    }

    /** The head of a request has arrived. */
    void begin() {
        reading = true;
        answering = true;
        closeAfter(limits.bodyTimeout());
    }

    /** The whole body has arrived. */
    void bodyRead() {
        reading = false;
        await();
    }

    /** The answer is about to be sent. */
    void answered() {
        answering = false;
        await();
    }

    /** No further request is read. */
    void closeSoon() {
        closeAfter(LINGER);
        closing = true;
    }

    /** Whether no further request is read. */
    boolean isClosing() {
        return closing;
    }

    private void await() {
        if (!reading && answering) {
            hasDeadline = closing;
        } else if (!reading) {
            closeAfter(limits.idleTimeout());
        }
    }

    private void closeAfter(Duration time) {
        if (!closing) {
            hasDeadline = true;
            deadlineNanos = System.nanoTime() + time.toNanos();
        }
    }

    /** Closes the connection if its time has come. */
    boolean closeIfLate(long nowNanos) {
        boolean late = hasDeadline && nowNanos - deadlineNanos >= 0;
        if (late) {
            var unused = connection.close();
        }
        return late;
    }
}
