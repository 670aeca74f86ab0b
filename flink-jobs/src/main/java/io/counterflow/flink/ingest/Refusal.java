package io.counterflow.flink.ingest;

import io.counterflow.schemas.record.DeadLetterRecord;

/**
 * A refused record.
 *
 * @param reason description, without feature values
 */
public record Refusal(RawRecord raw, IngestRule rule, String reason) {

    /** The record for the topic of dead letters. */
    public DeadLetterRecord toDeadLetter() {
        return raw.toDeadLetter(rule.name(), reason);
    }
}
