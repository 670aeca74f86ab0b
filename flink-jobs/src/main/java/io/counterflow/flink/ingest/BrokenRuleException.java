package io.counterflow.flink.ingest;

/** Thrown for a record that violates a rule. {@link RecordDecoder} turns it into a refusal. */
public final class BrokenRuleException extends Exception {

    private static final long serialVersionUID = 1L;

    private final IngestRule rule;

    public BrokenRuleException(IngestRule rule, String message) {
        // Without a stack trace, because bad traffic can throw it many times a second.
        super(message, null, false, false);
        this.rule = rule;
    }

    IngestRule rule() {
        return rule;
    }
}
