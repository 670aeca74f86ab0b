package io.counterflow.serving.pipeline;

import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.schemas.record.RolloutKindRecord;
import io.counterflow.schemas.record.RolloutModeRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.serving.diagnosis.Flow;
import io.counterflow.serving.diagnosis.FlowCount;
import io.counterflow.serving.diagnosis.JobState;
import io.counterflow.serving.diagnosis.PipelineFacts;
import io.counterflow.serving.diagnosis.UnusedRecords;
import java.time.Clock;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** Collects the facts about a loop's pipeline. Never blocks. Thread-safe. */
public final class LoopPipelines {

    private final LoopFlows flows;
    private final JobCounts counts;
    private final Supplier<JobState> job;
    private final Clock clock;

    public LoopPipelines(LoopFlows flows, JobCounts counts, Supplier<JobState> job, Clock clock) {
        this.flows = flows;
        this.counts = counts;
        this.job = job;
        this.clock = clock;
    }

    public LoopFlows flows() {
        return flows;
    }

    /** Removes the counts of a loop. */
    public void forget(String loop) {
        flows.forget(loop);
        counts.forget(loop);
    }

    public JobState job() {
        return job.get();
    }

    /**
     * The facts about a loop.
     *
     * @param ofAllLoops whether the caller may see what concerns other loops
     */
    public PipelineFacts facts(ServedLoop loop, boolean ofAllLoops) {
        String name = loop.spec().loop();
        Instant now = clock.instant();
        long nowMs = now.toEpochMilli();
        boolean counted = counts.isUpToDate();
        Map<Flow, FlowCount> flowing = new EnumMap<>(Flow.class);
        UnusedRecords late = counts.late(name, nowMs);
        UnusedRecords dead = counts.deadLetters(name, nowMs);
        flowing.put(Flow.DECISIONS, flows.decisions(name));
        flowing.put(Flow.UNLOGGED, flows.notLogged(name));
        flowing.put(Flow.REWARDS, flows.rewards(name));
        flowing.put(Flow.ARRIVED_DECISIONS, counts.decisions(name, nowMs));
        flowing.put(Flow.ARRIVED_REWARDS, counts.rewards(name, nowMs));
        flowing.put(Flow.EXAMPLES, counts.examples(name, nowMs));
        flowing.put(Flow.RETRACTED, counts.retracted(name, nowMs));
        PipelineFacts.Learning learning = learning(loop, nowMs);
        return new PipelineFacts(
                now,
                counted && counts.isUpToDate(), // they may be dropped meanwhile
                flowing,
                late,
                dead,
                ofAllLoops ? counts.deadLetters(JobCounts.NO_LOOP, nowMs) : UnusedRecords.none(),
                job.get(),
                learning,
                served(loop));
    }

    /** Dead letters whose loop is not known. */
    public UnusedRecords lettersOfNoLoop() {
        return counts.deadLetters(JobCounts.NO_LOOP, clock.millis());
    }

    private PipelineFacts.Learning learning(ServedLoop loop, long nowMs) {
        LoopSpec spec = loop.spec();
        List<Long> versions = loop.versions().stream().map(it -> it.version()).toList();
        return new PipelineFacts.Learning(
                spec.rewardRule().attributionWindow(),
                spec.get(LoopSettings.SNAPSHOT_EXAMPLES),
                spec.get(LoopSettings.SNAPSHOT_INTERVAL),
                counts.sinceSnapshot(spec.loop()),
                versions.isEmpty()
                        ? OptionalLong.empty()
                        : OptionalLong.of(versions.get(versions.size() - 1)),
                counts.frozenVersion(spec.loop(), nowMs),
                spec.learner().hasRewardModel()
                        && mode(loop) == RolloutMode.IMMEDIATE
                        && spec.get(LoopSettings.STARTING_POLICY).isPresent()
                        && loop.active().version() == spec.startingVersion());
    }

    private static PipelineFacts.Served served(ServedLoop loop) {
        Optional<RolloutRecord> rollout = loop.rollout();
        return new PipelineFacts.Served(
                rollout.isPresent(),
                mode(loop),
                rollout.isPresent() && rollout.get().getPaused(),
                loop.active().version(),
                rollout.map(RolloutRecord::getCandidateVersion)
                        .map(OptionalLong::of)
                        .orElse(OptionalLong.empty()),
                loop.canaryShare(),
                loop.degradedReason(),
                rollout.filter(it -> it.getKind() == RolloutKindRecord.QUARANTINED)
                        .map(RolloutRecord::getReason));
    }

    private static RolloutMode mode(ServedLoop loop) {
        RolloutModeRecord told =
                loop.rollout().map(RolloutRecord::getMode).orElse(RolloutModeRecord.UNKNOWN);
        return switch (told) {
            case MANUAL -> RolloutMode.MANUAL;
            case IMMEDIATE -> RolloutMode.IMMEDIATE;
            case GATED -> RolloutMode.GATED;
            case APPRENTICE -> RolloutMode.APPRENTICE;
            case UNKNOWN -> loop.spec().get(LoopSettings.ROLLOUT_MODE);
        };
    }
}
