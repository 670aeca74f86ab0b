package io.counterflow.flink.event;

/** An event that its loop cannot take. Never leaves this package: it becomes a letter. */
public final class RefusedEventException extends Exception {

    private static final long serialVersionUID = 1L;

    private final RefusalReason rule;

    public RefusedEventException(RefusalReason rule, String reason) {
        // Hostile traffic is refused many times a second, and nobody reads the trace.
        super(reason, null, false, false);
        this.rule = rule;
    }

    public RefusalReason rule() {
        return rule;
    }
}
