package io.counterflow.schemas.snapshot;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** An invalid snapshot: changed, truncated, of the wrong shape or not finite. */
public final class InvalidSnapshotException extends IOException {

    private static final long serialVersionUID = 1L;

    InvalidSnapshotException(String message) {
        super(message);
    }

    InvalidSnapshotException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
