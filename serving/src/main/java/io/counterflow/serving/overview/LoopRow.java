package io.counterflow.serving.overview;

import io.counterflow.client.policies.KnownVersion;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.log.RewardRange;
import io.counterflow.schemas.record.HoldoutRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.serving.diagnosis.Flow;
import io.counterflow.serving.diagnosis.PipelineDiagnosis;
import io.counterflow.serving.diagnosis.PipelineFacts;
import io.counterflow.serving.diagnosis.PipelineStage;
import io.counterflow.serving.diagnosis.StageState;
import io.counterflow.serving.stats.NewestWindow;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What the overview says about a loop.
 *
 * @param stage the stage that gives the state; empty if all stages are ok
 * @param reason the state in a sentence or two
 * @param activeVersion empty if the loop is refused
 * @param activeFrozenAt event time at which the active version was frozen, or at which the loop
 *     started with it; empty if it is not known
 * @param decisionsPerSecond decisions of all processes, counted when the loop learns from them
 * @param unit the range of rewards, in the loop's own unit
 * @param reward mean reward of the decisions of the newest window, in [0, 1]; empty without one
 * @param holdout the gain over the baseline version, for rewards in [0, 1]; empty without a holdout
 * @param unloggedShare share of the recent decisions of this process that were not logged; empty
 *     without decisions
 */
record LoopRow(
        String loop,
        StageState state,
        Optional<PipelineStage.Name> stage,
        String reason,
        OptionalLong activeVersion,
        Optional<Instant> activeFrozenAt,
        double decisionsPerSecond,
        RewardRange unit,
        OptionalDouble reward,
        Optional<HoldoutRecord> holdout,
        OptionalDouble unloggedShare) {

    /** The worst first, and of those the busiest. */
    static final Comparator<LoopRow> WORST_FIRST =
            Comparator.comparing(LoopRow::state)
                    .reversed()
                    .thenComparing(
                            Comparator.comparingDouble(LoopRow::decisionsPerSecond).reversed())
                    .thenComparing(LoopRow::loop);

    static LoopRow of(ServedLoop loop, PipelineFacts facts, Optional<NewestWindow> newest) {
        PipelineDiagnosis diagnosis = PipelineDiagnosis.of(facts);
        long decided = facts.count(Flow.DECISIONS).recent();
        long unlogged = facts.count(Flow.UNLOGGED).recent();
        return new LoopRow(
                loop.spec().loop(),
                diagnosis.state(),
                diagnosis.state() == StageState.OK
                        ? Optional.empty()
                        : diagnosis.stages().stream()
                                .filter(it -> it.state() == diagnosis.state())
                                .map(PipelineStage::name)
                                .findFirst(),
                diagnosis.headline(),
                OptionalLong.of(loop.active().version()),
                activeFrozenAt(loop),
                facts.count(Flow.EXAMPLES).perSecond(),
                loop.spec().rewardRange(),
                newest.map(NewestWindow::reward).orElse(OptionalDouble.empty()),
                newest.flatMap(NewestWindow::holdout),
                decided + unlogged == 0
                        ? OptionalDouble.empty()
                        : OptionalDouble.of((double) unlogged / (decided + unlogged)));
    }

    /** A loop that this process does not serve. */
    static LoopRow refused(String loop, String reason) {
        return new LoopRow(
                loop,
                StageState.STALLED,
                Optional.of(PipelineStage.Name.SERVED),
                "This process refuses the loop: " + reason,
                OptionalLong.empty(),
                Optional.empty(),
                0.0,
                RewardRange.UNIT,
                OptionalDouble.empty(),
                Optional.empty(),
                OptionalDouble.empty());
    }

    private static Optional<Instant> activeFrozenAt(ServedLoop loop) {
        long active = loop.active().version();
        List<KnownVersion> versions = loop.versions();
        for (int i = versions.size() - 1; i >= 0 && versions.get(i).version() >= active; i--) {
            if (versions.get(i).version() == active) { // usually among the newest
                return Optional.of(versions.get(i).createdAt());
            }
        }
        return active == loop.spec().startingVersion()
                ? loop.rollout().map(RolloutRecord::getLoopStartedAt)
                : Optional.empty();
    }
}
