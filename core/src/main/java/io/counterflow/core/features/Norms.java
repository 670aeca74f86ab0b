package io.counterflow.core.features;

import io.counterflow.core.numeric.Require;

/** Lengths of vectors, and scaling them down to a bound. */
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
     * The factor that brings a vector within the bound; 1 if it is there already.
     *
     * <p>A hair below the exact factor, so that the rounding of the factor and of the sum of
     * squares cannot lift the norm above the bound again; the coordinates themselves round towards
     * zero.
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
     * To float without ever growing: rounding to nearest could double a coordinate that ends below
     * the smallest normal float.
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
