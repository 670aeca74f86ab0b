package io.counterflow.flink.control;

import io.counterflow.flink.event.LoopEventKind;

/** The topics whose records happen to a loop as they are. Heartbeats belong on each of them. */
public enum LoopTopic {
    /** Specs. */
    LOOPS(LoopEventKind.SPEC),
    /** What people ask. */
    ROLLOUT_COMMANDS(LoopEventKind.COMMAND),
    /** Joined examples, for a replay. */
    EXAMPLES(LoopEventKind.EXAMPLE);

    private final LoopEventKind kind;

    LoopTopic(LoopEventKind kind) {
        this.kind = kind;
    }

    /** What its records become. */
    public LoopEventKind kind() {
        return kind;
    }
}
