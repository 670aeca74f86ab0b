package io.counterflow.core.confidence;

import io.counterflow.core.estimate.ImportanceWeight;
import io.counterflow.core.numeric.Require;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Where the mean importance weight lies, as far as a log can tell: from below always, from above
 * while one bound W holds for all of its weights. One should lie within.
 *
 * <p>The sequences are those of {@link MeanWeightSequence}, which needs to know W beforehand and
 * refuses what breaks it. Here W is that of the first example. The upper side ends for good when a
 * later example is promised only a larger one, or has a propensity below 1/W: to go on with the
 * weights that happen to lie below W would be to bound a smaller mean.
 */
public final class MeanWeightBounds {

    private static final double ROUNDING = 1e-9;

    private final LowerConfidenceSequence below;
    private double maxWeight; // W; +∞ where none holds, or none is known yet
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

    /** Goes on where stored bounds stopped. */
    public static MeanWeightBounds restore(MeanWeightState state) {
        return new MeanWeightBounds(
                LowerConfidenceSequence.restore(state.below()),
                state.maxWeight(),
                state.above().map(UpperConfidenceSequence::restore).orElse(null));
    }

    /**
     * W of whatever is judged on the log of a policy with an exploration floor: K/ε.
     *
     * @param actions K
     * @param explorationFloor ε, in [0, 1]
     * @return +∞ where ε is 0
     */
    public static double maxWeight(int actions, double explorationFloor) {
        return actions / Require.share(explorationFloor, "explorationFloor");
    }

    /**
     * Takes one example. Allocates nothing but for the first one's upper side.
     *
     * @param targetProbability π(a|x)
     * @param propensity p
     * @param promised the largest weight that the example's logging policy allows; +∞ for any
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
            above.add(Math.min(1.0, weight / maxWeight)); // rounding may lift w above W
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

    /** Takes all that another has seen; the upper side goes on only if both have the same W. */
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

    /** Upper bound on the mean weight, at δ/2; empty where no bound on the weights holds. */
    public OptionalDouble upperBound(double delta) {
        double half = Require.delta(delta) / 2.0;
        return above == null
                ? OptionalDouble.empty()
                : OptionalDouble.of(maxWeight * above.bound(half));
    }

    /** All that has to be remembered. */
    public MeanWeightState state() {
        return new MeanWeightState(
                maxWeight,
                below.state(),
                Optional.ofNullable(above).map(UpperConfidenceSequence::state));
    }
}
