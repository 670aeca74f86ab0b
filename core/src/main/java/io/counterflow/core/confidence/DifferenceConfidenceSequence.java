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
 * <p>A large W allows only small bets, and a challenger that hardly differs from the holder would
 * be found late. So bets with λ of at least 4/W are on D′ instead of D. In a context in which
 * w<sub>h</sub> − w<sub>c</sub> &gt; 1 for some action, D′ is −Σ<sub>a</sub> max(π<sub>h</sub>(a|x)
 * − π<sub>c</sub>(a|x), 0), whatever happens: the most that the challenger can lose there, because
 * rewards are in [0, 1]. In all other contexts it is D. So D′ is at most D in the mean, and at
 * least −1, and these bets have W = 1. Their product is a supermartingale, for which Ville's
 * inequality holds as well. A bet itself must not depend on the context, because the bound is about
 * the mean over contexts.
 *
 * <p>Both policies share the noise of the rewards, so one sequence of differences needs fewer
 * examples than two sequences of values. An example with D = D′ = 0 costs no logarithm.
 *
 * <p>If the difference changes over time, the bound is about its average since the start, in which
 * examples with another W have a somewhat different weight.
 */
public final class DifferenceConfidenceSequence {

    /** Largest W. */
    public static final double MAX_HOLDER_WEIGHT = 64.0;

    /** 4, 2, 1, 1/√2, 1/2, … 2⁻¹⁴: the smallest finds differences of 6e-5 times D's variance. */
    private static final double[] GRID = grid();

    /** 1, 2<sup>1/4</sup>, 2<sup>1/2</sup>, … 64: a W is rounded up to the next one. */
    private static final double[] LEVELS = levels();

    /**
     * From this λW on, bets are on D′: a bet on D would be at most a fifth of λ. A little below 4,
     * because levels are rounded.
     */
    private static final double LARGE = 4.0 * (1.0 - 1e-9);

    /** The lowest D without a loss. Propensities may be a little inexact. */
    private static final double LOWEST = -1.001;

    private final double[] grid; // of λ
    private final double[] logSums; // of 1 + b D with the b of m = 0, for each λ
    private final long[] counts; // number of examples for each W

    public DifferenceConfidenceSequence() {
        this(GRID, new double[GRID.length], new long[LEVELS.length]);
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

    private static double[] grid() {
        double[] grid = new double[31];
        grid[0] = 4.0;
        grid[1] = 2.0;
        for (int j = 2; j < grid.length; j++) {
            grid[j] = Math.sqrt(1.0 / (1L << (j - 2)));
        }
        return grid;
    }

    private static double[] levels() {
        double[] levels = new double[25];
        for (int level = 0; level < levels.length; level++) {
            levels[level] = Math.sqrt(Math.sqrt(1 << level));
        }
        return levels;
    }

    /** The number of counts in a state. */
    static int levelCount() {
        return LEVELS.length;
    }

    /**
     * Adds the weights and the reward of an example. Allocates nothing.
     *
     * @param maxHolderWeight W, at least w<sub>h</sub>, in [1, 64]
     * @param loss −D′: 0 if w<sub>h</sub> − w<sub>c</sub> ≤ 1 for every action in this context,
     *     otherwise Σ<sub>a</sub> max(π<sub>h</sub> − π<sub>c</sub>, 0); not used if W = 1
     */
    public void add(
            double challengerWeight,
            double holderWeight,
            double maxHolderWeight,
            double loss,
            double reward) {
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
        Require.share(loss, "loss");
        Require.reward(reward);
        int level = level(maxHolderWeight);
        double difference = (challengerWeight - holderWeight) * reward;
        boolean replaced = loss > 0.0 && level > 0;
        if (!replaced && difference < LOWEST) {
            throw new IllegalArgumentException(
                    "loss must be above 0 if D is below -1, got %s with D = %s"
                            .formatted(loss, difference));
        }
        counts[level]++;
        if (difference == 0.0 && !replaced) {
            return; // ln(1 + 0) in every sum
        }
        for (int j = 0; j < grid.length; j++) {
            double term = replaced && isLarge(j, level) ? -loss : difference;
            if (term != 0.0) {
                logSums[j] += StrictMath.log1p(bet(j, level) * term);
            }
        }
    }

    private boolean isLarge(int j, int level) {
        return grid[j] * LEVELS[level] >= LARGE;
    }

    /** The bet b at m = 0. */
    private double bet(int j, int level) {
        return grid[j] / (1.0 + grid[j] * (isLarge(j, level) ? 1.0 : LEVELS[level]));
    }

    /** The level of W, rounded up. */
    private static int level(double maxHolderWeight) {
        int level = 0;
        while (LEVELS[level] < maxHolderWeight) {
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

    /** ln of the average over λ of the supermartingale at m; falls with m. */
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
            for (int level = 0; level < LEVELS.length; level++) {
                if (counts[level] > 0) {
                    wealth -= counts[level] * StrictMath.log1p(bet(j, level) * mean);
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
