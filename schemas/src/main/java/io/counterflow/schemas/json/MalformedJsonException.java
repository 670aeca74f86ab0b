package io.counterflow.schemas.json;

/** A document that is not JSON, or beyond a limit. */
final class MalformedJsonException extends InvalidJsonException {

    private static final long serialVersionUID = 1L;

    MalformedJsonException(String message) {
        super("", message);
    }

    MalformedJsonException(String message, Throwable cause) {
        super("", message);
        initCause(cause);
    }

    /** The document as a whole is wrong. */
    @Override
    InvalidJsonException below(String outer) {
        return this;
    }
}
