package io.counterflow.flink.ingest;

import io.counterflow.schemas.wire.UndecodableRecordException;

/** The rules for records. Their names are in dead letters and metrics and must not change. */
public enum IngestRule {
    /** It has a value. */
    EMPTY,
    /** The value is not larger than allowed. */
    TOO_LARGE,
    /** The value is in Avro's single-object encoding. */
    NOT_A_RECORD,
    /** Its schema is a known version of a record that belongs on this topic. */
    UNKNOWN_SCHEMA,
    /** It is complete. */
    TRUNCATED,
    /** It fits its schema. */
    MALFORMED,
    /** Nothing follows it. */
    TRAILING_BYTES,
    /** Event id, loop and reward id are present and not longer than allowed. */
    NAME,
    /** Its time is neither before the year 2000 nor ahead of Kafka's timestamp. */
    TIME,
    /** Its reward, or default reward, is in [0, 1]. */
    REWARD,
    /** Its attribution window is not longer than allowed. */
    WINDOW,
    /** Its other fields are consistent. */
    INCONSISTENT;

    /** The rule of the same name. */
    static IngestRule of(UndecodableRecordException.Reason reason) {
        return valueOf(reason.name());
    }
}
