package io.counterflow.core.confidence;

import io.counterflow.core.estimate.Interval;
import io.counterflow.core.numeric.Require;
import java.util.Arrays;

/**
 * An interval for the mean of a fixed number of terms X in [0, W], such as weighted rewards. It
 * contains the mean with probability at least 1 − δ, however few terms are above zero (hedged
 * betting, Waudby-Smith and Ramdas 2024).
 *
 * <p>If X has mean m, then Π (1 + λ<sub>i</sub>X<sub>i</sub>)/(1 + λ<sub>i</sub>m) has mean one, as
 * long as λ<sub>i</sub> ≥ 0 depends on earlier terms only. By Markov's inequality it reaches 2/δ
 * with probability at most δ/2. The lower end is the largest m for which it does, and the upper end
 * is W minus that of the terms W − X. The bet
 *
 * <pre>b = λ/(1 + λm) = √(2 ln(2/δ)/(n v))</pre>
 *
 * <p>is best for terms of variance v, which is estimated from the earlier terms and one more: of
 * size 1 for the lower side, and W/2 for the upper side, which a term of W hurts. n and W must not
 * depend on the terms, and the mean must not change from term to term. {@link
 * LowerConfidenceSequence} holds at every n at once and is wider.
 *
 * <p>Each λ is rounded to a power of 2<sup>1/4</sup>, and only their counts are kept, so that
 * memory does not grow with n.
 */
public final class BettingInterval {

    /**
     * Part of its wealth that the upper side bets at most. A term of W loses so much of it, and
     * there may be several.
     */
    private static final double MAX_BET = 0.8;

    private static final double ROUNDING = 1e-9;

    /** Powers of 2^(1/4) between 2^-64 and 2^64. */
    private static final int STEPS = 4;

    private static final int MAX_POWER = 64 * STEPS;
    private static final double[] LAMBDAS = lambdas();

    private final double largest; // W
    private final double pseudoBelow;
    private final double pseudoAbove;
    private final double threshold; // ln(2/δ)
    private final double betScale; // 2 ln(2/δ)/n
    private final Side below = new Side();
    private final Side above = new Side();
    private long count;
    private double sum;
    private double squareSum;

    /** Σ ln(1 + λX), and how often each λ was used. */
    private static final class Side {
        private double logSum;
        private final long[] counts = new long[2 * MAX_POWER + 1];

        void add(double lambda, double x) {
            int index = index(lambda);
            counts[index]++;
            if (x > 0.0) {
                logSum += StrictMath.log1p(LAMBDAS[index] * x);
            }
        }

        /** The largest mean in [0, largest] that is rejected, rounded down; 0 if none is. */
        double bound(double threshold, double largest) {
            if (logSum < threshold) {
                return 0.0;
            }
            double rejected = 0.0;
            double accepted = largest;
            double middle = accepted / 2.0;
            while (middle > rejected && middle < accepted) {
                if (logWealth(middle) >= threshold) {
                    rejected = middle;
                } else {
                    accepted = middle;
                }
                middle = rejected + (accepted - rejected) / 2.0;
                if (accepted - rejected <= 1e-12 * accepted) {
                    break;
                }
            }
            return rejected;
        }

        private double logWealth(double mean) {
            double wealth = logSum;
            for (int j = 0; j < counts.length; j++) {
                if (counts[j] > 0) {
                    wealth -= counts[j] * StrictMath.log1p(LAMBDAS[j] * mean);
                }
            }
            return wealth;
        }
    }

    /**
     * @param terms n, the number of terms that will be added
     * @param largest W, finite and above 0, a bound on the terms
     * @param delta δ, in (0, 1)
     */
    public BettingInterval(long terms, double largest, double delta) {
        Require.atLeast(1, terms, "terms");
        Require.that(
                largest > 0.0 && largest <= Require.MAX_TERM,
                "largest must be in (0, 1e100], got %s",
                largest);
        this.largest = largest;
        this.pseudoBelow = Math.min(1.0, largest * largest);
        this.pseudoAbove = largest * largest / 4.0;
        this.threshold = StrictMath.log(2.0 / Require.delta(delta));
        this.betScale = 2.0 * threshold / terms;
    }

    private static double[] lambdas() {
        double[] lambdas = new double[2 * MAX_POWER + 1];
        for (int j = 0; j < lambdas.length; j++) {
            lambdas[j] = StrictMath.pow(2.0, (double) (j - MAX_POWER) / STEPS);
        }
        return lambdas;
    }

    /** The power nearest to λ. */
    private static int index(double lambda) {
        int below = Arrays.binarySearch(LAMBDAS, lambda);
        int at = below >= 0 ? below : -below - 1;
        return Math.min(at, LAMBDAS.length - 1);
    }

    /**
     * Adds a term. Allocates nothing.
     *
     * @param x X, in [0, W]; slightly more because of rounding counts as W
     */
    public void add(double x) {
        Require.nonnegativeTerm(x, "x");
        if (x > largest * (1.0 + ROUNDING)) {
            throw new IllegalArgumentException(
                    "x must be at most %s, the largest term, got %s".formatted(largest, x));
        }
        double mean = sum / (count + 1);
        double bet = bet(pseudoBelow, mean);
        below.add(bet / Math.max(0.1, 1.0 - bet * mean), x);
        double share = Math.min(MAX_BET, bet(pseudoAbove, mean) * largest);
        double missing = Math.max(0.0, 1.0 - x / largest);
        above.add(share / (1.0 - share * (1.0 - mean / largest)), missing);
        count++;
        sum += x;
        squareSum += x * x;
    }

    /** b, with the variance of the earlier terms and of one more whose square is given. */
    private double bet(double pseudoSquare, double mean) {
        double variance = (pseudoSquare + squareSum) / (count + 1) - mean * mean;
        return Math.sqrt(betScale / Math.max(variance, 1e-12 * pseudoSquare));
    }

    /** The interval; [0, W] if there are too few terms to say more. */
    public Interval interval() {
        double mean = count == 0 ? 0.0 : sum / count;
        double lower = below.bound(threshold, largest);
        double upper = largest * (1.0 - above.bound(threshold, 1.0));
        // Terms whose mean changes may exclude every value.
        return new Interval(Math.min(lower, mean), Math.max(upper, mean));
    }
}
