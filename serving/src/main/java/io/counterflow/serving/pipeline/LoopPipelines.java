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
import java.time.Clock;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Collects the facts about a loop's pipeline. Never blocks. Thread-safe. */
public final class LoopPipelines {

    private final LoopFlows flows;
    private final Supplier<JobState> job;
    private final Clock clock;

    public LoopPipelines(LoopFlows flows, Supplier<JobState> job, Clock clock) {
        this.flows = flows;
        this.job = job;
        this.clock = clock;
    }

    public LoopFlows flows() {
        return flows;
    }

    public JobState job() {
        return job.get();
    }

    /**
     * Completes with true when the job's records are counted up to now.
     *
     * @param timeout completes with false after this time, or at once if Kafka does not answer
     */
    CompletableFuture<Boolean> counted(Duration timeout) {
        return job.get().kafkaIsSilent()
                ? CompletableFuture.completedFuture(false)
                : flows.counted()
                        .completeOnTimeout(false, timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    PipelineFacts facts(ServedLoop loop) {
        String name = loop.spec().loop();
        boolean counted = flows.isCounted();
        Map<Flow, FlowCount> counts = new EnumMap<>(Flow.class);
        for (Flow flow : Flow.values()) {
            counts.put(flow, flows.count(flow, name));
        }
        counted &=
                flows.isCounted(); // before and after, because the counts may be dropped meanwhile
        return new PipelineFacts(
                clock.instant(),
                counted,
                counts,
                flows.count(Flow.DEAD_LETTERS, JobFlows.ALL),
                flows.job().newestLetter(Flow.DEAD_LETTERS),
                flows.job().newestLetter(Flow.LATE),
                job.get(),
                learning(loop),
                served(loop));
    }

    private PipelineFacts.Learning learning(ServedLoop loop) {
        LoopSpec spec = loop.spec();
        List<Long> versions = loop.versions().stream().map(it -> it.version()).toList();
        return new PipelineFacts.Learning(
                spec.rewardRule().attributionWindow(),
                spec.get(LoopSettings.SNAPSHOT_EXAMPLES),
                spec.get(LoopSettings.SNAPSHOT_INTERVAL),
                flows.job().sinceSnapshot(spec.loop()),
                versions.isEmpty()
                        ? OptionalLong.empty()
                        : OptionalLong.of(versions.get(versions.size() - 1)),
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
            case UNKNOWN -> loop.spec().get(LoopSettings.ROLLOUT_MODE);
        };
    }
}
