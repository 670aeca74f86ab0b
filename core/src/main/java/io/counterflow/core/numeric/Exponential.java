package io.counterflow.core.numeric;

/**
 * The exponential function, with the same bits on every machine.
 *
 * <p>{@code Math.exp} may be replaced by machine code that differs between processors and JVMs;
 * {@code StrictMath.exp} gives the same bits everywhere but is several times slower. This class
 * uses only additions, multiplications and bit patterns of IEEE 754 doubles, which Java 17 defines
 * exactly: x = k ln 2 + r with |r| ≤ ln 2 / 2, a polynomial for e<sup>r</sup>, and k added to the
 * exponent. The result is within two units in the last place of the true value, unless that is
 * subnormal.
 */
public final class Exponential {

    private static final double LOG2_E = 0x1.71547652b82fep0;

    /** The first 33 bits of ln 2, so that k times it is exact; and the rest. */
    private static final double LN2_HIGH = 0x1.62e42feep-1;

    private static final double LN2_LOW = 0x1.a39ef35793c76p-33;

    /** Adding and subtracting it rounds to the nearest whole number. */
    private static final double ROUND = 0x1.8p52;

    /** Above it the result is infinite, below {@link #SMALLEST} zero. */
    private static final double LARGEST = 709.782712893384;

    private static final double SMALLEST = -745.1332191019412;

    private Exponential() {}

    /** Returns e<sup>x</sup>; NaN for NaN. */
    public static double exp(double x) {
        if (!(x >= SMALLEST)) { // also NaN
            return x < SMALLEST ? 0.0 : x;
        }
        if (x > LARGEST) {
            return Double.POSITIVE_INFINITY;
        }
        double k = (x * LOG2_E + ROUND) - ROUND;
        double r = (x - k * LN2_HIGH) - k * LN2_LOW;
        // Taylor's polynomial in two halves (Estrin), because in one long chain each step waits for
        // product.
        double r2 = r * r;
        double r4 = r2 * r2;
        double low = (1.0 / 2.0 + r * (1.0 / 6.0)) + r2 * (1.0 / 24.0 + r * (1.0 / 120.0));
        double middle =
                (1.0 / 720.0 + r * (1.0 / 5040.0)) + r2 * (1.0 / 40320.0 + r * (1.0 / 362880.0));
        double high = (1.0 / 3628800.0 + r * (1.0 / 39916800.0)) + r2 * (1.0 / 479001600.0);
        double p = 1.0 + (r + r2 * (low + r4 * (middle + r4 * high)));
        int exponent = (int) k;
        if (exponent >= -1021 && exponent <= 1023) {
            return p * powerOfTwo(exponent);
        }
        // The power of two is out of the range of a double although the product is not, so two
        // steps.
        int half = exponent / 2;
        return p * powerOfTwo(half) * powerOfTwo(exponent - half);
    }

    private static double powerOfTwo(int exponent) {
        return Double.longBitsToDouble((long) (exponent + 1023) << 52);
    }
}
