package io.counterflow.core.features;

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
     * <p>A hair below the exact factor, so that rounding the scaled coordinates to float cannot
     * lift the norm above the bound again.
     */
    static double factorTo(double normBound, double squaredNorm) {
        if (!(normBound > 0.0)) {
            throw new IllegalArgumentException("normBound must be above 0, got " + normBound);
        }
        return squaredNorm <= normBound * normBound
                ? 1.0
                : normBound / Math.sqrt(squaredNorm) * (1.0 - 0x1p-22);
    }

    static float[] scaled(float[] values, double factor) {
        float[] scaled = new float[values.length];
        for (int j = 0; j < values.length; j++) {
            scaled[j] = (float) (values[j] * factor);
        }
        return scaled;
    }
}
