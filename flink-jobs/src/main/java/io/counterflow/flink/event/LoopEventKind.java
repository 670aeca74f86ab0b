package io.counterflow.flink.event;

/** The kinds of events of a loop. At equal times specs come first and examples last. */
public enum LoopEventKind {
    /** A new spec. */
    SPEC(1),
    /** A rollout command. */
    COMMAND(2),
    /** An impression with its reward. */
    EXAMPLE(3);

    private final int rank;

    LoopEventKind(int rank) {
        this.rank = rank;
    }

    /** Order among events of the same time. It is part of the state and must not change. */
    public int rank() {
        return rank;
    }
}
