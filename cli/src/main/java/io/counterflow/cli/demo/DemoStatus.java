package io.counterflow.cli.demo;

import io.counterflow.cli.traffic.SimulatedUsers;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.topics.Topic;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How the demo stands at one moment.
 *
 * @param elapsed since the start of this run
 * @param port where the page is
 * @param traffic counts of this run
 * @param learning what has been learned, over all runs
 * @param values mean rewards
 */
public record DemoStatus(
        Duration elapsed, int port, Traffic traffic, Learning learning, Values values) {

    /** Counts of this run. */
    public record Traffic(
            long events, long rewards, long failures, long joined, long late, long dead) {}

    /**
     * What has been learned, over all runs.
     *
     * @param generations versions that decided, in their order; never empty
     * @param newestVersion the newest one that was frozen
     * @param candidate the one that is judged now
     * @param snapshots how many were published
     * @param lastChange what happened last, in words
     */
    public record Learning(
            List<Generation> generations,
            long newestVersion,
            OptionalLong candidate,
            long snapshots,
            String lastChange) {

        public Learning {
            generations = List.copyOf(generations);
        }

        /** The version that decides. */
        public Generation active() {
            return generations.get(generations.size() - 1);
        }
    }

    /**
     * Mean rewards per decision.
     *
     * @param uniform true value of drawing actions at random
     * @param best true value of the best possible policy
     * @param recent of the newest version with enough examples, over the last minute; NaN before
     * @param overTime by window, the newest last
     */
    public record Values(double uniform, double best, double recent, List<Double> overTime) {

        public Values {
            overTime = List.copyOf(overTime);
        }
    }

    static DemoStatus of(
            Duration elapsed,
            int port,
            SimulatedUsers.Counts counts,
            @Nullable LoopWatch watch,
            DemoHistory history) {
        return new DemoStatus(
                elapsed,
                port,
                new Traffic(
                        counts.events(),
                        counts.rewards(),
                        counts.failures(),
                        count(watch, Topic.EXAMPLES),
                        count(watch, Topic.LATE),
                        count(watch, Topic.DEAD_LETTERS)),
                new Learning(
                        history.generations(),
                        history.newestVersion(),
                        history.latest().map(DemoStatus::candidate).orElse(OptionalLong.empty()),
                        history.snapshots(),
                        history.latest().map(RolloutRecord::getReason).orElse("")),
                new Values(
                        history.uniform(),
                        history.best(),
                        history.recentReward(),
                        history.rewardOverTime()));
    }

    private static OptionalLong candidate(RolloutRecord change) {
        Long version = change.getCandidateVersion();
        return version == null ? OptionalLong.empty() : OptionalLong.of(version);
    }

    private static long count(@Nullable LoopWatch watch, Topic topic) {
        return watch == null ? 0 : watch.count(topic);
    }
}
