package io.counterflow.serving.diagnosis;

/**
 * One stage of a loop's pipeline.
 *
 * @param name which one
 * @param state how it goes there
 * @param reason why, in a sentence or two
 */
public record PipelineStage(Name name, StageState state, String reason) {

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
    static PipelineStage notCounted(Name name) {
        return waiting(name, "Counting the output of the job has just begun.");
    }

    static PipelineStage ok(Name name, String reason) {
        return new PipelineStage(name, StageState.OK, reason);
    }

    static PipelineStage waiting(Name name, String reason) {
        return new PipelineStage(name, StageState.WAITING, reason);
    }

    static PipelineStage warning(Name name, String reason) {
        return new PipelineStage(name, StageState.WARNING, reason);
    }

    static PipelineStage stalled(Name name, String reason) {
        return new PipelineStage(name, StageState.STALLED, reason);
    }
}
