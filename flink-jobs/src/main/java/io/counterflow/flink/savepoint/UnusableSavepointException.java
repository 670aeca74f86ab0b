package io.counterflow.flink.savepoint;

import java.io.IOException;

/** A savepoint that cannot be read or changed. The message names it and says what to do. */
public final class UnusableSavepointException extends IOException {

    private static final long serialVersionUID = 1L;

    UnusableSavepointException(String message) {
        super(message);
    }

    UnusableSavepointException(String message, Throwable cause) {
        super(message, cause);
    }
}
