package io.counterflow.core.confidence;

import io.counterflow.core.estimate.ImportanceWeight;
import io.counterflow.core.numeric.Require;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Confidence bounds on the mean importance weight that hold at every n at once. The interval should
 * contain one: correct propensities give weights with mean one.
 *
 * <p>Each side takes δ/2. The lower bound works for any weights. The upper bound needs a bound W on
 * all weights, such as K/ε with an exploration floor ε over K actions, and is W times the mirrored
 * sequence of w/W in [0, 1]. W is that of the first example. The upper bound is given up when a
 * later example allows only a larger W, or has a propensity below 1/W: continuing with only those
 * weights that are below W would bound a smaller mean.
 *
 * <p>Other audits of logged propensities are means of one as well: 1/(K p), the weight of the
 * uniform policy over K actions, in [0, 1/(K min p)]; and 1 + 1{a=k} − p(k) for an action k, in [0,
 * 2].
 */
public final class MeanWeightBounds {

    private static final double ROUNDING = 1e-9;

    private final LowerConfidenceSequence below;
    private double maxWeight; // W; +∞ if there is none, or none yet
    private @Nullable UpperConfidenceSequence above; // of w/W

    public MeanWeightBounds() {
        this(new LowerConfidenceSequence(), Double.POSITIVE_INFINITY, null);
    }

    private MeanWeightBounds(
            LowerConfidenceSequence below,
            double maxWeight,
            @Nullable UpperConfidenceSequence above) {
        this.below = below;
        this.maxWeight = maxWeight;
        this.above = above;
    }

    /** Continues from a stored state. */
    public static MeanWeightBounds restore(MeanWeightState state) {
        return new MeanWeightBounds(
                LowerConfidenceSequence.restore(state.below()),
                state.maxWeight(),
                state.above().map(UpperConfidenceSequence::restore).orElse(null));
    }

    /**
     * W for any policy that is evaluated on the log of a policy with an exploration floor: K/ε.
     *
     * @param actions K
     * @param explorationFloor ε, in [0, 1]
     * @return +∞ if ε is 0
     */
    public static double maxWeight(int actions, double explorationFloor) {
        return actions / Require.share(explorationFloor, "explorationFloor");
    }

    /**
     * Adds an example. Only the first one allocates memory.
     *
     * @param targetProbability π(a|x)
     * @param propensity p
     * @param promised the largest weight that the example's logging policy allows; +∞ if unknown
     */
    public void add(double targetProbability, double propensity, double promised) {
        double weight = ImportanceWeight.of(targetProbability, propensity);
        if (below.count() == 0) {
            startAbove(promised);
        } else if (!(promised <= maxWeight)) {
            endAbove();
        }
        if (propensity * maxWeight < 1.0 - ROUNDING) {
            endAbove();
        }
        below.add(weight);
        if (above != null) {
            above.add(Math.min(1.0, weight / maxWeight)); // rounding may give w > W
        }
    }

    private void startAbove(double promised) {
        if (promised <= Require.MAX_TERM) {
            maxWeight = promised;
            above = new UpperConfidenceSequence();
        }
    }

    private void endAbove() {
        maxWeight = Double.POSITIVE_INFINITY;
        above = null;
    }

    /** Adds all examples of another. The upper bound is kept only if both have the same W. */
    public void merge(MeanWeightBounds other) {
        if (other.below.count() == 0) {
            return;
        }
        if (below.count() == 0) {
            startAbove(other.maxWeight);
        } else if (maxWeight != other.maxWeight) {
            endAbove();
        }
        below.merge(other.below);
        if (above != null && other.above != null) {
            above.merge(other.above);
        }
    }

    /** n. */
    public long count() {
        return below.count();
    }

    /** Lower bound on the mean weight, at δ/2. */
    public double lowerBound(double delta) {
        return below.bound(Require.delta(delta) / 2.0);
    }

    /** Upper bound on the mean weight, at δ/2; empty if there is no bound on the weights. */
    public OptionalDouble upperBound(double delta) {
        double half = Require.delta(delta) / 2.0;
        return above == null
                ? OptionalDouble.empty()
                : OptionalDouble.of(maxWeight * above.bound(half));
    }

    /** Whether the interval of {@link #lowerBound} and {@link #upperBound} excludes one. */
    public boolean excludesOne(double delta) {
        double half = Require.delta(delta) / 2.0;
        return below.rejects(1.0 + ROUNDING, half)
                || (above != null && above.rejects((1.0 - ROUNDING) / maxWeight, half));
    }

    /** The state to store. */
    public MeanWeightState state() {
        return new MeanWeightState(
                maxWeight,
                below.state(),
                Optional.ofNullable(above).map(UpperConfidenceSequence::state));
    }
}
