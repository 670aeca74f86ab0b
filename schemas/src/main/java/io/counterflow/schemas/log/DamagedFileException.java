package io.counterflow.schemas.log;

import java.io.IOException;

/** The structure of a file is damaged, so that nothing after it can be read. */
public final class DamagedFileException extends IOException {

    private static final long serialVersionUID = 1L;

    DamagedFileException(String message) {
        super(message);
    }

    DamagedFileException(String message, Throwable cause) {
        super(message, cause);
    }
}
