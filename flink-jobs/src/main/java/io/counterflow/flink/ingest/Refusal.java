package io.counterflow.flink.ingest;

import io.counterflow.schemas.record.DeadLetterRecord;

/**
 * A record that was not let in.
 *
 * @param raw the record
 * @param rule the rule that it broke
 * @param reason what was wrong, without feature values
 */
public record Refusal(RawRecord raw, IngestRule rule, String reason) {

    /** The letter for the topic of dead letters. */
    public DeadLetterRecord toDeadLetter() {
        return raw.toDeadLetter(rule.name(), reason);
    }
}
