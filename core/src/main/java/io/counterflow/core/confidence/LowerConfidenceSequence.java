package io.counterflow.core.confidence;

import io.counterflow.core.numeric.Exponential;
import io.counterflow.core.numeric.Require;
import java.util.Arrays;
import java.util.List;

/**
 * A lower bound on the mean of nonnegative numbers X, such as w r, that holds at every n at once.
 *
 * <p>If X has mean m, then Π (1 + λX<sub>i</sub>)/(1 + λm) is a nonnegative martingale that starts
 * at one, for every λ &gt; 0, and so is its average over a fixed grid of λ. By Ville's inequality
 * that average ever reaches 1/δ with probability at most δ; the bound is the largest m at which it
 * has. So one may look after each example and stop when pleased. No X needs a bound, and the
 * logging policy may change with the past, as long as every X has mean m given the past.
 *
 * <p>The state is a count and a sum per λ: sequences merge by adding. The bound of today may be
 * below that of yesterday; the largest so far is valid too, and whoever wants it keeps it. The
 * sequence speaks about a mean that stays put.
 */
public final class LowerConfidenceSequence {

    private static final double[] DEFAULT_GRID = powersOfOneHalf(11);

    private final double[] grid;
    private final double[] logSums;
    private long count;

    /** With the grid 1, 1/2, …, 1/1024. */
    public LowerConfidenceSequence() {
        this(DEFAULT_GRID);
    }

    /**
     * @param grid the λ, fixed before the data: large ones for small n, small ones for large n.
     *     Copied.
     */
    public LowerConfidenceSequence(double... grid) {
        this(grid, new double[grid.length], 0);
    }

    private LowerConfidenceSequence(double[] grid, double[] logSums, long count) {
        if (grid.length == 0) {
            throw new IllegalArgumentException("a sequence needs at least one lambda");
        }
        for (double lambda : grid) {
            Require.smoothing(lambda);
        }
        this.grid = grid.clone();
        this.logSums = logSums;
        this.count = count;
    }

    /** Goes on where a stored sequence stopped. */
    public static LowerConfidenceSequence restore(SequenceState state) {
        return new LowerConfidenceSequence(
                toArray(state.grid()), toArray(state.logSums()), state.count());
    }

    private static double[] powersOfOneHalf(int n) {
        double[] powers = new double[n];
        for (int j = 0; j < n; j++) {
            powers[j] = 1.0 / (1L << j);
        }
        return powers;
    }

    /** Takes X ≥ 0. Allocates nothing. */
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

    /** Takes all that another sequence with the same grid has seen. */
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

    /** Whether a mean is ruled out, that is, whether the bound at δ is at or above it. */
    public boolean rejects(double mean, double delta) {
        return logWealth(Require.nonnegativeTerm(mean, "mean")) >= logThreshold(delta);
    }

    private static double logThreshold(double delta) {
        return -StrictMath.log(Require.delta(delta));
    }

    /**
     * The largest mean that is ruled out, to within 1e-12 on the safe side; 0 if none is. Above one
     * for X = w r, it tells that the propensities are wrong.
     */
    public double bound(double delta) {
        double threshold = logThreshold(delta);
        if (logWealth(0.0) < threshold) {
            return 0.0;
        }
        double rejected = 0.0;
        double open = 1.0;
        while (logWealth(open) >= threshold) { // no mean above the largest X is ever rejected
            rejected = open;
            open *= 2.0;
        }
        while (open - rejected > 1e-12 * Math.max(1.0, open)) {
            double middle = 0.5 * (rejected + open);
            if (logWealth(middle) >= threshold) {
                rejected = middle;
            } else {
                open = middle;
            }
        }
        return rejected;
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
        return logSums[j] - count * StrictMath.log1p(grid[j] * mean);
    }

    /** What is to be stored. */
    public SequenceState state() {
        return new SequenceState(toList(grid), toList(logSums), count);
    }

    private static double[] toArray(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static List<Double> toList(double[] values) {
        return Arrays.stream(values).boxed().toList();
    }
}
