package io.counterflow.experiments;

import io.counterflow.core.numeric.Require;

/**
 * Student's t distribution.
 *
 * <p>P(|T| &gt; t) with ν degrees of freedom is the regularised incomplete beta function
 * I<sub>x</sub> (ν/2, 1/2) at x = ν/(ν + t²), here by its continued fraction (Abramowitz and Stegun
 * 26.5.8) and the method of Lentz.
 */
final class StudentT {

    private static final double TINY = 1e-300;
    private static final double PRECISION = 1e-15;
    private static final int MAX_TERMS = 10_000;

    private StudentT() {}

    /** P(|T| &gt; |t|): the p value of a two-sided test. */
    static double twoSided(double t, int degrees) {
        Require.atLeast(1, degrees, "degrees");
        if (Double.isNaN(t)) {
            return Double.NaN;
        }
        if (Double.isInfinite(t)) {
            return 0.0;
        }
        double sum = degrees + t * t;
        return incompleteBeta(degrees / sum, t * t / sum, degrees / 2.0, 0.5);
    }

    /**
     * t with P(|T| &gt; t) = {@code p}, for p in (0, 1): the critical value of a two-sided test.
     */
    static double critical(double p, int degrees) {
        if (!(p > 0.0 && p < 1.0)) {
            throw new IllegalArgumentException("p must be in (0, 1), got " + p);
        }
        double high = 1.0;
        while (twoSided(high, degrees) > p) {
            high *= 2.0;
        }
        double low = 0.0;
        while (true) {
            double middle = (low + high) / 2.0;
            if (middle <= low || middle >= high) {
                return middle; // no double between them
            }
            if (twoSided(middle, degrees) > p) {
                low = middle;
            } else {
                high = middle;
            }
        }
    }

    /**
     * I<sub>x</sub>(a, b).
     *
     * @param y 1 − x, which the difference would not give exactly where x is near 1
     */
    private static double incompleteBeta(double x, double y, double a, double b) {
        if (x <= 0.0) {
            return 0.0;
        }
        if (y <= 0.0) {
            return 1.0;
        }
        double front =
                StrictMath.exp(
                        logGamma(a + b)
                                - logGamma(a)
                                - logGamma(b)
                                + a * (x < y ? StrictMath.log(x) : StrictMath.log1p(-y))
                                + b * (y < x ? StrictMath.log(y) : StrictMath.log1p(-x)));
        // The fraction converges fast on this side of the mean, and slowly on the other.
        return x < (a + 1.0) / (a + b + 2.0)
                ? front * fraction(x, a, b) / a
                : 1.0 - front * fraction(y, b, a) / b;
    }

    private static double fraction(double x, double a, double b) {
        double c = 1.0;
        double d = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
        double value = d;
        for (int m = 1; m <= MAX_TERMS; m++) {
            double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            d = 1.0 / nonzero(1.0 + even * d);
            c = nonzero(1.0 + even / c);
            value *= c * d;
            double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
            d = 1.0 / nonzero(1.0 + odd * d);
            c = nonzero(1.0 + odd / c);
            double factor = c * d;
            value *= factor;
            if (Math.abs(factor - 1.0) <= PRECISION) {
                return value;
            }
        }
        throw new ArithmeticException("no convergence at x=%s, a=%s, b=%s".formatted(x, a, b));
    }

    private static double nonzero(double value) {
        return Math.abs(value) < TINY ? TINY : value;
    }

    /** ln Γ(x) for x &gt; 0: Stirling's series, after moving x up to where it is exact. */
    private static double logGamma(double x) {
        double shift = 0.0;
        double z = x;
        while (z < 15.0) {
            shift -= StrictMath.log(z);
            z += 1.0;
        }
        double r = 1.0 / (z * z);
        double series =
                (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r / 1188)))) / z;
        return shift
                + (z - 0.5) * StrictMath.log(z)
                - z
                + 0.5 * StrictMath.log(2.0 * Math.PI)
                + series;
    }
}
