package io.counterflow.flink.event;

/** What can happen to a loop. Of events of one time, specs come first and examples last. */
public enum LoopEventKind {
    /** Its spec changed. */
    SPEC(1),
    /** A person asked something of its rollout. */
    COMMAND(2),
    /** A decision's reward became known. */
    EXAMPLE(3);

    private final int rank;

    LoopEventKind(int rank) {
        this.rank = rank;
    }

    /** Its place among events of one time. It is in state: a kind keeps its rank for ever. */
    public int rank() {
        return rank;
    }
}
