package io.counterflow.serving.diagnosis;

import io.counterflow.core.spec.RolloutMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The facts for the diagnosis of one loop.
 *
 * @param counted whether the counts of the job are read up to now; until then they mean nothing
 * @param late records that the join could not use
 * @param deadLetters records that could not be used at all
 * @param ofNoLoop dead letters whose loop is not known; none for callers who may not see them
 * @param rollout the versions that decide
 */
public record PipelineFacts(
        Instant now,
        boolean counted,
        Map<Flow, FlowCount> counts,
        UnusedRecords late,
        UnusedRecords deadLetters,
        UnusedRecords ofNoLoop,
        JobState job,
        Learning learning,
        Served rollout) {

    public PipelineFacts {
        counts = Map.copyOf(counts);
    }

    /**
     * The learning of the loop.
     *
     * @param attributionWindow how long the job waits for rewards
     * @param snapshotExamples examples between two snapshots; 0 for no limit
     * @param snapshotInterval event time between two snapshots; zero for no limit
     * @param sinceSnapshot examples since the newest snapshot; empty if the job has not said it
     *     lately
     * @param newestVersion the newest snapshot; empty before the first
     * @param frozenVersion a version that the job has frozen, and that must have arrived; 0 if none
     * @param keepsStart whether the starting policy decides until a learned one is ahead of it
     */
    public record Learning(
            Duration attributionWindow,
            long snapshotExamples,
            Duration snapshotInterval,
            OptionalLong sinceSnapshot,
            OptionalLong newestVersion,
            long frozenVersion,
            boolean keepsStart) {}

    /**
     * The versions that decide.
     *
     * @param known whether the job has written a rollout of the loop
     * @param mode how versions are promoted
     * @param paused whether automatic changes are stopped
     * @param activeVersion the version that decides in this process
     * @param canaryShare the share of events that it decides
     * @param degradedReason why other versions decide than the rollout names
     * @param quarantineReason why the loop takes no more events; empty if it does
     */
    public record Served(
            boolean known,
            RolloutMode mode,
            boolean paused,
            long activeVersion,
            OptionalLong candidate,
            double canaryShare,
            Optional<String> degradedReason,
            Optional<String> quarantineReason) {}

    public FlowCount count(Flow flow) {
        return counts.getOrDefault(flow, FlowCount.none());
    }

    /** Whether this process or another one has made decisions lately. */
    boolean hasDecisions() {
        return count(Flow.DECISIONS).flows() || count(Flow.ARRIVED_DECISIONS).flows();
    }

    /** The time since the last record; empty if there was none. */
    Optional<Duration> age(Flow flow) {
        return count(flow).last().map(last -> Duration.between(last, now));
    }
}
