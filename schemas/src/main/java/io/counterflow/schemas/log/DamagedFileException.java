package io.counterflow.schemas.log;

import java.io.IOException;

/** The frame of a container file is broken, so that nothing after it can be found. */
final class DamagedFileException extends IOException {

    private static final long serialVersionUID = 1L;

    DamagedFileException(String message) {
        super(message);
    }
}
