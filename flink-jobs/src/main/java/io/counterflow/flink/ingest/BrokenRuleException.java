package io.counterflow.flink.ingest;

/** A record that breaks a rule. Never leaves a {@link RecordDecoder}: it becomes a refusal. */
public final class BrokenRuleException extends Exception {

    private static final long serialVersionUID = 1L;

    private final IngestRule rule;

    public BrokenRuleException(IngestRule rule, String message) {
        // Hostile traffic breaks many rules a second, and nobody reads the trace.
        super(message, null, false, false);
        this.rule = rule;
    }

    IngestRule rule() {
        return rule;
    }
}
