package io.counterflow.core.confidence;

import io.counterflow.core.numeric.Exponential;
import io.counterflow.core.numeric.Numbers;
import io.counterflow.core.numeric.Require;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A lower bound on the mean of nonnegative numbers X, such as w r, that holds at every n at once.
 *
 * <p>If X has mean m, then Π (1 + λX<sub>i</sub>)/(1 + λm) is a nonnegative martingale that starts
 * at one, for every λ &gt; 0, and so is its average over a fixed grid of λ. By Ville's inequality
 * that average ever reaches 1/δ with probability at most δ; the bound is the largest m for which it
 * has reached 1/δ. So the bound may be checked after every example, and one may stop at any time. X
 * needs no upper bound, and the logging policy may depend on the past, as long as every X has mean
 * m given the past.
 *
 * <p>The state is a count and a sum per λ, so sequences are merged by addition. A bound may be
 * lower than an earlier one; the largest bound so far is valid too, but is not kept here. The mean
 * is assumed not to change over time.
 */
public final class LowerConfidenceSequence {

    private static final double[] DEFAULT_GRID = powersOfOneHalf(11);

    private final double[] grid;
    private final double[] logSums;
    private double @Nullable [] logsAtMean; // null until it is needed: most sequences only add
    private double meanOfLogs;
    private long count;

    /** With the grid 1, 1/2, …, 1/1024. */
    public LowerConfidenceSequence() {
        this(DEFAULT_GRID, new double[DEFAULT_GRID.length], 0);
    }

    /**
     * @param grid the λ, fixed before the data: large ones for small n, small ones for large n.
     *     Copied.
     */
    public LowerConfidenceSequence(double... grid) {
        this(checked(grid), new double[grid.length], 0);
    }

    private LowerConfidenceSequence(double[] grid, double[] logSums, long count) {
        this.grid = grid;
        this.logSums = logSums;
        this.count = count;
    }

    /** A copy of a grid, or the default grid, which all its sequences share. */
    private static double[] checked(double[] grid) {
        if (Arrays.equals(grid, DEFAULT_GRID)) {
            return DEFAULT_GRID;
        }
        if (grid.length == 0) {
            throw new IllegalArgumentException("a sequence needs at least one lambda");
        }
        for (double lambda : grid) {
            Require.smoothing(lambda);
        }
        return grid.clone();
    }

    /** Continues from a stored state. */
    public static LowerConfidenceSequence restore(SequenceState state) {
        return new LowerConfidenceSequence(
                checked(state.grid().toArray()), state.logSums().toArray(), state.count());
    }

    private static double[] powersOfOneHalf(int n) {
        double[] powers = new double[n];
        for (int j = 0; j < n; j++) {
            powers[j] = 1.0 / (1L << j);
        }
        return powers;
    }

    /** Adds X ≥ 0. Allocates nothing. */
    public void add(double x) {
        Require.nonnegativeTerm(x, "x");
        count++;
        if (x == 0.0) {
            return; // ln(1 + 0) in every sum
        }
        for (int j = 0; j < grid.length; j++) {
            logSums[j] += StrictMath.log1p(grid[j] * x);
        }
    }

    /** Adds all examples of another sequence with the same grid. */
    public void merge(LowerConfidenceSequence other) {
        if (!Arrays.equals(grid, other.grid)) {
            throw new IllegalArgumentException(
                    "sequences to merge must have the same grid, got %d and %d lambdas"
                            .formatted(grid.length, other.grid.length));
        }
        for (int j = 0; j < grid.length; j++) {
            logSums[j] += other.logSums[j];
        }
        count += other.count;
    }

    /** n. */
    public long count() {
        return count;
    }

    /** Whether a mean is rejected: whether the bound at δ is greater than or equal to it. */
    public boolean rejects(double mean, double delta) {
        return logWealth(Require.nonnegativeTerm(mean, "mean")) >= logThreshold(delta);
    }

    private static double logThreshold(double delta) {
        return -StrictMath.log(Require.delta(delta));
    }

    /**
     * The largest mean that is rejected, rounded down by at most 1e-12; 0 if none is rejected. For
     * X = w r, a bound above one shows that the propensities are wrong.
     */
    public double bound(double delta) {
        double threshold = logThreshold(delta);
        if (logWealth(0.0) < threshold) {
            return 0.0;
        }
        double rejected = rejectedByOne(threshold);
        double step = Double.POSITIVE_INFINITY;
        // Newton's method. ln of the average is convex in m, so that no step passes the bound.
        while (step > 0.25e-12 * Math.max(1.0, rejected)) {
            double wealth = logWealth(rejected);
            double slope = 0.0;
            for (int j = 0; j < grid.length; j++) {
                double share = Exponential.exp(logWealth(j, rejected) - wealth) / grid.length;
                slope += share * count * grid[j] / (1.0 + grid[j] * rejected);
            }
            step = (wealth - threshold) / slope;
            rejected += Math.max(0.0, step);
        }
        // Further from the bound than the error of the logarithms.
        return Math.max(0.0, rejected - 0.5e-12 * Math.max(1.0, rejected));
    }

    /** The largest mean for which one λ alone brings the average to the threshold; 0 if none. */
    private double rejectedByOne(double threshold) {
        double needed = threshold + StrictMath.log(grid.length);
        double largest = 0.0;
        for (int j = 0; j < grid.length; j++) {
            double logOfOnePlus = (logSums[j] - needed) / count;
            largest = Math.max(largest, StrictMath.expm1(logOfOnePlus) / grid[j]);
        }
        return largest;
    }

    /** ln of the average over λ of exp(Σ ln(1 + λX) − n ln(1 + λm)); falls with m. */
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

    private double logWealth(int j, double mean) {
        return logSums[j] - count * logs(mean)[j];
    }

    /** ln(1 + λm) for all λ. Kept, because an audit asks for the same mean after each example. */
    private double[] logs(double mean) {
        double[] logs = logsAtMean;
        if (logs == null || mean != meanOfLogs) {
            logs = logs == null ? new double[grid.length] : logs;
            for (int j = 0; j < grid.length; j++) {
                logs[j] = StrictMath.log1p(grid[j] * mean);
            }
            logsAtMean = logs;
            meanOfLogs = mean;
        }
        return logs;
    }

    /** The state to store. */
    public SequenceState state() {
        return new SequenceState(Numbers.of(grid), Numbers.of(logSums), count);
    }
}
