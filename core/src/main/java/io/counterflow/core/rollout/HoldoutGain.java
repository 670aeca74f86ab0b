package io.counterflow.core.rollout;

import io.counterflow.core.confidence.MeanRewardBounds;
import io.counterflow.core.estimate.Interval;
import io.counterflow.core.log.DecisionOrigin;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import java.util.Optional;

/**
 * Measures the gain of a loop over its baseline version: the mean reward of the events outside the
 * holdout minus that of the events inside. Not thread safe.
 *
 * <p>Which events are in the holdout is random and independent of everything else, so both groups
 * are samples of the same events. No weights are needed. Each of the four bounds on the two means
 * fails with probability at most δ/4 ({@link MeanRewardBounds}).
 *
 * <p>The share, the baseline version, and the rule by which both decide and are rewarded must be
 * the same for all examples: otherwise a change of the world would look like a gain. If one of them
 * changes, the measurement starts again with the decisions under the new spec.
 */
public final class HoldoutGain {

    private final LoopSpec spec;
    private final long sinceSpec;
    private final MeanRewardBounds holdout;
    private final MeanRewardBounds rest;
    private long sinceMs;

    private HoldoutGain(
            LoopSpec spec,
            long sinceSpec,
            long sinceMs,
            MeanRewardBounds holdout,
            MeanRewardBounds rest) {
        this.spec = spec;
        this.sinceSpec = sinceSpec;
        this.sinceMs = sinceMs;
        this.holdout = holdout;
        this.rest = rest;
    }

    /** Starts with the decisions under a spec. */
    public static HoldoutGain start(LoopSpec spec) {
        return new HoldoutGain(
                spec, spec.version(), -1, new MeanRewardBounds(), new MeanRewardBounds());
    }

    /**
     * Continues from a stored state, with the same spec; without one, starts with its decisions.
     */
    public static HoldoutGain restore(LoopSpec spec, Optional<HoldoutState> state) {
        return state.map(
                        it ->
                                new HoldoutGain(
                                        spec,
                                        it.sinceSpec(),
                                        it.sinceMs(),
                                        MeanRewardBounds.restore(it.holdout()),
                                        MeanRewardBounds.restore(it.rest())))
                .orElseGet(() -> start(spec));
    }

    /** The same measurement under another spec, or a new one. */
    public HoldoutGain changedTo(LoopSpec next) {
        boolean goesOn =
                share(next) == share(spec)
                        && next.holdoutVersion() == spec.holdoutVersion()
                        && Gate.haveSameRule(spec, next);
        return goesOn ? new HoldoutGain(next, sinceSpec, sinceMs, holdout, rest) : start(next);
    }

    private static double share(LoopSpec spec) {
        return spec.get(LoopSettings.HOLDOUT_SHARE);
    }

    /** Adds an example, unless it was decided under a spec with another holdout. */
    public void add(LoggedExample example, DecisionOrigin origin, long timeMs) {
        if (!spec.hasHoldout()
                || origin.specVersion() < sinceSpec
                || origin.specVersion() > spec.version()) {
            return;
        }
        if (sinceMs < 0) {
            sinceMs = timeMs;
        }
        (origin.holdout() ? holdout : rest).add(example.reward());
    }

    /** Share of the events that are in the holdout. */
    public double share() {
        return share(spec);
    }

    /** The gain so far; empty without a holdout, or before both groups have an example. */
    public Optional<HoldoutEstimate> estimate() {
        if (holdout.count() == 0 || rest.count() == 0) {
            return Optional.empty();
        }
        double delta = spec.get(LoopSettings.DELTA) / 4.0;
        HoldoutEstimate.Group inside = group(holdout, delta);
        HoldoutEstimate.Group outside = group(rest, delta);
        return Optional.of(
                new HoldoutEstimate(
                        spec.holdoutVersion(),
                        sinceMs,
                        inside,
                        outside,
                        new Interval(
                                outside.interval().lower() - inside.interval().upper(),
                                outside.interval().upper() - inside.interval().lower())));
    }

    private static HoldoutEstimate.Group group(MeanRewardBounds group, double delta) {
        return new HoldoutEstimate.Group(
                group.count(),
                group.mean(),
                new Interval(group.lowerBound(delta), group.upperBound(delta)));
    }

    /** The state to store; empty without a holdout. */
    public Optional<HoldoutState> state() {
        return spec.hasHoldout()
                ? Optional.of(new HoldoutState(sinceSpec, sinceMs, holdout.state(), rest.state()))
                : Optional.empty();
    }
}
