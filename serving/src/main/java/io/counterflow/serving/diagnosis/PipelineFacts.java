package io.counterflow.serving.diagnosis;

import io.counterflow.core.spec.RolloutMode;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * All that a diagnosis of one loop rests on.
 *
 * @param now when it was gathered
 * @param counted whether what the job writes is counted up to now; until it is, counts of it say
 *     nothing
 * @param counts what flows through the loop
 * @param allDeadLetters dead letters of all loops, and of none
 * @param newestDeadLetter the newest of them, in words
 * @param newestLate the newest late record of any loop, in words
 * @param job how the job is doing
 * @param learning what the loop has learned
 * @param rollout who decides
 */
public record PipelineFacts(
        Instant now,
        boolean counted,
        Map<Flow, FlowCount> counts,
        FlowCount allDeadLetters,
        Optional<String> newestDeadLetter,
        Optional<String> newestLate,
        JobState job,
        Learning learning,
        Served rollout) {

    public PipelineFacts {
        counts = Map.copyOf(counts);
    }

    /**
     * What the loop has learned.
     *
     * @param attributionWindow how long rewards are waited for
     * @param snapshotExamples examples between two snapshots; 0 for no limit
     * @param snapshotInterval event time between two snapshots; zero for no limit
     * @param since examples since the newest snapshot
     * @param newestVersion the newest snapshot; empty before the first
     */
    public record Learning(
            Duration attributionWindow,
            long snapshotExamples,
            Duration snapshotInterval,
            SinceSnapshot since,
            OptionalLong newestVersion) {}

    /**
     * Who decides, and who may next.
     *
     * @param known whether the job has said anything of the loop
     * @param mode who decides that a version goes live
     * @param paused whether automatic changes are stopped
     * @param activeVersion the version that decides here
     * @param candidate the version that is judged
     * @param canaryShare the share of events that it decides
     * @param degradedReason why other versions decide than the rollout asks for
     */
    public record Served(
            boolean known,
            RolloutMode mode,
            boolean paused,
            long activeVersion,
            OptionalLong candidate,
            double canaryShare,
            Optional<String> degradedReason) {}

    public FlowCount count(Flow flow) {
        return counts.getOrDefault(flow, FlowCount.none());
    }

    /** How long ago the last one came; empty when none did. */
    Optional<Duration> age(Flow flow) {
        return count(flow).last().map(last -> Duration.between(last, now));
    }

    /** The same facts with another count. */
    PipelineFacts with(Flow flow, FlowCount count) {
        Map<Flow, FlowCount> changed = new EnumMap<>(Flow.class);
        changed.putAll(counts);
        changed.put(flow, count);
        return new PipelineFacts(
                now,
                counted,
                changed,
                allDeadLetters,
                newestDeadLetter,
                newestLate,
                job,
                learning,
                rollout);
    }
}
