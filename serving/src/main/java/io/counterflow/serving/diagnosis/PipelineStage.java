package io.counterflow.serving.diagnosis;

/**
 * One stage of a loop's pipeline.
 *
 * @param reason the reason, in a sentence or two
 */
public record PipelineStage(Name name, StageState state, String reason) {

    /** The stages in their order; the last two are side outputs. */
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

    static PipelineStage notCounted(Name name) {
        return waiting(name, "The counts of the job have not been read yet.");
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
