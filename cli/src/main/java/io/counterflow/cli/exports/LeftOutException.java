package io.counterflow.cli.exports;

/** A decision that cannot be exported. The message contains no values of features. */
final class LeftOutException extends Exception {

    private static final long serialVersionUID = 1L;

    private final LeftOut reason;

    LeftOutException(LeftOut reason, String message) {
        super(message);
        this.reason = reason;
    }

    LeftOut reason() {
        return reason;
    }

    String detail() {
        return String.valueOf(getMessage());
    }
}
