package io.counterflow.core.confidence;

import io.counterflow.core.numeric.Exponential;
import io.counterflow.core.numeric.Numbers;
import io.counterflow.core.numeric.Require;
import java.util.Arrays;

/**
 * A lower bound on how much better a challenger is than a holder, at every n at once.
 *
 * <p>D = (w<sub>c</sub> − w<sub>h</sub>) r with weights w = π/p has mean V<sub>c</sub> −
 * V<sub>h</sub>, whatever policy logged the example with its exact p, and is at least −W, with W a
 * bound on w<sub>h</sub>: 1 on the holder's own log, 1/(1 − s) on the log of a mixture in which the
 * challenger decides a share s of the events. If D has mean m, then
 *
 * <pre>Π (1 + b (D − m)),  b = λ/(1 + λ(W + m)),</pre>
 *
 * is a nonnegative martingale that starts at one, for every λ &gt; 0, and so is its average over a
 * fixed grid of λ. By Ville's inequality that average ever reaches 1/δ with probability at most δ.
 * The bound is the largest m for which it has reached 1/δ; the challenger is better, at confidence
 * 1 − δ, if the bound is at least 0. W must be known before the example, because a bet may not
 * depend on the outcome. The D need no upper bound.
 *
 * <p>Both policies share the noise of the rewards, so one sequence of differences needs fewer
 * examples than two sequences of values. An example without a reward has D = 0 and costs no
 * logarithm.
 *
 * <p>If the difference changes over time, the bound is about its average since the start.
 */
public final class DifferenceConfidenceSequence {

    /** Largest W, after rounding up to a power of two. */
    public static final double MAX_HOLDER_WEIGHT = 64.0;

    /** 1/√2, 1/2, … 2⁻¹⁴: the smallest λ finds differences of 6e-5 times the variance of D. */
    private static final double[] GRID = powersOfRootHalf(28);

    private static final int LEVELS = 7; // W = 1, 2, 4, … 64

    private final double[] grid; // of λ
    private final double[] logSums; // of 1 + b D with the b of m = 0, for each λ
    private final long[] counts; // number of examples for each W

    public DifferenceConfidenceSequence() {
        this(GRID, new double[GRID.length], new long[LEVELS]);
    }

    private DifferenceConfidenceSequence(double[] grid, double[] logSums, long[] counts) {
        this.grid = grid;
        this.logSums = logSums;
        this.counts = counts;
    }

    /** Continues from a stored state, with the grid that it was started with. */
    public static DifferenceConfidenceSequence restore(DifferenceState state) {
        return new DifferenceConfidenceSequence(
                state.grid().toArray(),
                state.logSums().toArray(),
                state.counts().stream().mapToLong(Long::longValue).toArray());
    }

    private static double[] powersOfRootHalf(int n) {
        double[] powers = new double[n];
        for (int j = 0; j < n; j++) {
            powers[j] = Math.sqrt(1.0 / (1L << (j + 1)));
        }
        return powers;
    }

    /** The number of counts in a state. */
    static int levels() {
        return LEVELS;
    }

    /**
     * Adds the weights and the reward of an example. Allocates nothing.
     *
     * @param maxHolderWeight W, at least w<sub>h</sub>, in [1, 64]
     */
    public void add(
            double challengerWeight, double holderWeight, double maxHolderWeight, double reward) {
        Require.nonnegativeTerm(challengerWeight, "challengerWeight");
        if (!(maxHolderWeight >= 1.0 && maxHolderWeight <= MAX_HOLDER_WEIGHT)) {
            throw new IllegalArgumentException(
                    "maxHolderWeight must be in [1, 64], got " + maxHolderWeight);
        }
        if (!(holderWeight >= 0.0 && holderWeight <= maxHolderWeight)) {
            throw new IllegalArgumentException(
                    "holderWeight must be in [0, %s], got %s"
                            .formatted(maxHolderWeight, holderWeight));
        }
        Require.reward(reward);
        int level = level(maxHolderWeight);
        counts[level]++;
        double difference = (challengerWeight - holderWeight) * reward;
        if (difference == 0.0) {
            return; // ln(1 + 0) in every sum
        }
        for (int j = 0; j < grid.length; j++) {
            logSums[j] += StrictMath.log1p(grid[j] / (1.0 + grid[j] * (1 << level)) * difference);
        }
    }

    /** The level of the smallest power of two that is at least W. */
    private static int level(double maxHolderWeight) {
        int level = 0;
        while ((1 << level) < maxHolderWeight) {
            level++;
        }
        return level;
    }

    /** n. */
    public long count() {
        long sum = 0;
        for (long count : counts) {
            sum += count;
        }
        return sum;
    }

    /**
     * Whether a difference is rejected as too small: whether the bound at δ is at least as large.
     *
     * @param difference in [−1, 1]
     */
    public boolean rejects(double difference, double delta) {
        return rejectsAt(difference, -StrictMath.log(Require.delta(delta)));
    }

    /**
     * How much of the evidence for a decision there is: ln of the martingale at a difference,
     * divided by ln(1/δ). Decided at 1; 0 without examples; may be negative.
     */
    public double evidence(double difference, double delta) {
        return logWealth(difference) / -StrictMath.log(Require.delta(delta));
    }

    private boolean rejectsAt(double difference, double threshold) {
        for (int j = 0; j < grid.length; j++) {
            if (logWealth(j, difference) >= threshold) { // otherwise the average is below it
                return logWealth(difference) >= threshold;
            }
        }
        return false;
    }

    /** Lower bound on V<sub>c</sub> − V<sub>h</sub>, rounded down by at most 1e-9; −1 if none. */
    public double bound(double delta) {
        double threshold = -StrictMath.log(Require.delta(delta));
        double rejected = -1.0;
        double open = 1.0; // values are in [0, 1]
        if (!rejectsAt(rejected, threshold)) {
            return rejected;
        }
        while (open - rejected > 1e-9) {
            double middle = 0.5 * (rejected + open);
            if (rejectsAt(middle, threshold)) {
                rejected = middle;
            } else {
                open = middle;
            }
        }
        return rejected;
    }

    /** ln of the average over λ of the martingale at m; falls with m. */
    private double logWealth(double mean) {
        double largest = Double.NEGATIVE_INFINITY;
        for (int j = 0; j < grid.length; j++) {
            largest = Math.max(largest, logWealth(j, mean));
        }
        double sum = 0.0;
        for (int j = 0; j < grid.length; j++) {
            sum += Exponential.exp(logWealth(j, mean) - largest);
        }
        return largest + StrictMath.log(sum / grid.length);
    }

    /** 1 + b (D − m) is (1 + b₀ D)/(1 + b₀ m), with b₀ the bet at m = 0. */
    private double logWealth(int j, double mean) {
        double wealth = logSums[j];
        if (mean != 0.0) {
            for (int level = 0; level < LEVELS; level++) {
                if (counts[level] > 0) {
                    double bet = grid[j] / (1.0 + grid[j] * (1 << level));
                    wealth -= counts[level] * StrictMath.log1p(bet * mean);
                }
            }
        }
        return wealth;
    }

    /** The state to store. */
    public DifferenceState state() {
        return new DifferenceState(
                Numbers.of(grid), Numbers.of(logSums), Arrays.stream(counts).boxed().toList());
    }
}
