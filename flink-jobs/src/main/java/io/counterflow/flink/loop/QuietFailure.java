package io.counterflow.flink.loop;

import io.counterflow.schemas.wire.UndecodableRecordException;
import org.jspecify.annotations.Nullable;

/**
 * A failure as it may be logged: its kind, its place in the code and its causes, without their
 * messages, which may quote features of users. What is said of bytes that cannot be decoded quotes
 * none.
 */
final class QuietFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private QuietFailure(Throwable failure, @Nullable Throwable cause) {
        super(
                failure instanceof UndecodableRecordException
                        ? failure.toString()
                        : failure.getClass().getName(),
                cause);
        setStackTrace(failure.getStackTrace());
    }

    static QuietFailure of(Throwable failure) {
        Throwable cause = failure.getCause();
        return new QuietFailure(failure, cause == null ? null : of(cause));
    }
}
