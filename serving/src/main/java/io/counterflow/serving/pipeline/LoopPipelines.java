package io.counterflow.serving.pipeline;

import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
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

/** Gathers what is known of a loop's pipeline. Never blocks. Safe for use by several threads. */
public final class LoopPipelines {

    private final LoopFlows flows;
    private final Supplier<JobState> job;
    private final Clock clock;

    public LoopPipelines(LoopFlows flows, Supplier<JobState> job, Clock clock) {
        this.flows = flows;
        this.job = job;
        this.clock = clock;
    }

    /** What is counted of each loop. */
    public LoopFlows flows() {
        return flows;
    }

    /** How the job is doing. */
    public JobState job() {
        return job.get();
    }

    /**
     * True, once what the job writes is counted up to now.
     *
     * @param longest false after so much time, or at once where Kafka is away
     */
    CompletableFuture<Boolean> counted(Duration longest) {
        return job.get().kafkaIsAway()
                ? CompletableFuture.completedFuture(false)
                : flows.counted()
                        .completeOnTimeout(false, longest.toMillis(), TimeUnit.MILLISECONDS);
    }

    PipelineFacts facts(ServedLoop loop) {
        String name = loop.spec().loop();
        boolean counted = flows.isCounted();
        Map<Flow, FlowCount> counts = new EnumMap<>(Flow.class);
        for (Flow flow : Flow.values()) {
            counts.put(flow, flows.count(flow, name));
        }
        counted &= flows.isCounted(); // before and after: they may be forgotten meanwhile
        return new PipelineFacts(
                clock.instant(),
                counted,
                counts,
                flows.count(Flow.DEAD_LETTERS, JobFlows.ALL),
                flows.newestLetter(Flow.DEAD_LETTERS),
                flows.newestLetter(Flow.LATE),
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
                flows.sinceSnapshot(spec.loop()),
                versions.isEmpty()
                        ? OptionalLong.empty()
                        : OptionalLong.of(versions.get(versions.size() - 1)));
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
                loop.degradedReason());
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
