package io.counterflow.flink.event;

/** Thrown for an event that its loop refuses. It becomes a dead letter. */
public final class RefusedEventException extends Exception {

    private static final long serialVersionUID = 1L;

    private final RefusalReason rule;

    public RefusedEventException(RefusalReason rule, String reason) {
        // Without a stack trace, because bad traffic can throw it many times a second.
        super(reason, null, false, false);
        this.rule = rule;
    }

    public RefusalReason rule() {
        return rule;
    }
}
