package io.counterflow.schemas.wire;

/** Bytes that are not a record of the kind that was asked for. */
public final class UndecodableRecordException extends Exception {

    private static final long serialVersionUID = 1L;

    /** What is wrong with the bytes: few and fixed, so that they can be counted by. */
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

    /** What is wrong. */
    public Reason reason() {
        return reason;
    }
}
