package io.counterflow.cli.imports;

/** A record that cannot be imported. The message contains no values of features. */
final class RejectedRecordException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Rejection reason;

    RejectedRecordException(Rejection reason, String message) {
        super(message);
        this.reason = reason;
    }

    Rejection reason() {
        return reason;
    }

    String detail() {
        return String.valueOf(getMessage());
    }
}
