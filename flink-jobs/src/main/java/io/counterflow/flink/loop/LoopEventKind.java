package io.counterflow.flink.loop;

/** What can happen to a loop. Of events of one time, specs come first and examples last. */
public enum LoopEventKind {
    /** Its spec changed. */
    SPEC,
    /** A person asked something of its rollout. */
    COMMAND,
    /** A decision's reward became known. */
    EXAMPLE
}
