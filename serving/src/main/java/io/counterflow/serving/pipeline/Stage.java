package io.counterflow.serving.pipeline;

/**
 * One stage of a loop's pipeline.
 *
 * @param name which one
 * @param state how it goes there
 * @param reason why, in a sentence or two
 */
public record Stage(Name name, StageState state, String reason) {

    /** The stages, in the order of what passes through; the last two are side exits. */
    public enum Name {
        DECISIONS,
        REWARDS,
        JOINED,
        LEARNED,
        SNAPSHOT,
        SERVED,
        LATE,
        DEAD_LETTERS
    }

    /** What the job writes is read only while somebody looks, and that has just begun. */
    static Stage notCounted(Name name) {
        return waiting(name, "Counting what the job writes has just begun.");
    }

    static Stage ok(Name name, String reason) {
        return new Stage(name, StageState.OK, reason);
    }

    static Stage waiting(Name name, String reason) {
        return new Stage(name, StageState.WAITING, reason);
    }

    static Stage warning(Name name, String reason) {
        return new Stage(name, StageState.WARNING, reason);
    }

    static Stage stalled(Name name, String reason) {
        return new Stage(name, StageState.STALLED, reason);
    }
}
