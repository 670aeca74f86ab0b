package io.counterflow.core.features;

import io.counterflow.core.numeric.Require;

/** Norms of vectors, and factors that scale vectors down to a bound. */
final class Norms {

    private Norms() {}

    static double squared(float[] values) {
        double sum = 0.0;
        for (float value : values) {
            sum += (double) value * value;
        }
        return sum;
    }

    /**
     * The largest absolute value, 0 if there are none; not finite if a value is not. Bits without
     * the sign order floats by their absolute values.
     */
    static float maxAbsolute(float[] values) {
        int largest = 0;
        for (float value : values) {
            largest = Math.max(largest, Float.floatToRawIntBits(value) & Integer.MAX_VALUE);
        }
        return Float.intBitsToFloat(largest);
    }

    /** The largest absolute value, 0 if there are none. */
    static double maxAbsolute(double[] values) {
        double largest = 0.0;
        for (double value : values) {
            largest = Math.max(largest, Math.abs(value));
        }
        return largest;
    }

    /**
     * The factor that scales a vector down to the bound; 1 if it is within the bound already.
     *
     * <p>Slightly smaller than the exact factor, so that the norm does not exceed the bound after
     * rounding of the factor and the sum of squares; the coordinates are rounded towards zero.
     */
    static double factorTo(double normBound, double squaredNorm) {
        Require.atLeastZero(normBound, "normBound");
        return squaredNorm <= normBound * normBound
                ? 1.0
                : normBound / Math.sqrt(squaredNorm) * (1.0 - 0x1p-22);
    }

    static float[] scaled(float[] values, double factor) {
        float[] scaled = new float[values.length];
        for (int j = 0; j < values.length; j++) {
            scaled[j] = towardsZero(values[j] * factor);
        }
        return scaled;
    }

    /**
     * Rounds to float towards zero: rounding to nearest could double a coordinate that is smaller
     * than the smallest normal float.
     */
    private static float towardsZero(double value) {
        float nearest = (float) value;
        return Math.abs((double) nearest) > Math.abs(value)
                ? Math.nextAfter(nearest, 0.0)
                : nearest;
    }

    /** The smallest double whose square, as computed, is not below a squared norm. */
    static double rootRoundedUp(double squaredNorm) {
        double root = Math.sqrt(squaredNorm);
        while (root * root < squaredNorm) {
            root = Math.nextUp(root);
        }
        return root;
    }
}
