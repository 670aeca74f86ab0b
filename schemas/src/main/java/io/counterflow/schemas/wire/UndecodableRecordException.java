package io.counterflow.schemas.wire;

/** Bytes that are not a valid record of the expected type. */
public final class UndecodableRecordException extends Exception {

    private static final long serialVersionUID = 1L;

    /** The reason, as a fixed set of constants for metrics. */
    public enum Reason {
        /** They do not start with the two marker bytes of Avro's single-object encoding. */
        NOT_A_RECORD,
        /** No known version of the schema has their fingerprint. */
        UNKNOWN_SCHEMA,
        /** They end before the record does. */
        TRUNCATED,
        /** They contradict the schema they name. */
        MALFORMED,
        /** The record ends before they do. */
        TRAILING_BYTES
    }

    private final Reason reason;

    UndecodableRecordException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    UndecodableRecordException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
