package io.counterflow.core.policy;

import io.counterflow.core.numeric.Require;

/** Arrays of finite floats. */
final class Finite {

    private Finite() {}

    static void require(float[] values, String what) {
        for (int i = 0; i < values.length; i++) {
            if (!Float.isFinite(values[i])) {
                throw new IllegalArgumentException(
                        "%s %d must be finite, got %s".formatted(what, i, values[i]));
            }
        }
    }

    /** Whether all values are positive zeros. */
    static boolean isZero(float[] values) {
        for (float value : values) {
            if (Float.floatToRawIntBits(value) != 0) {
                return false;
            }
        }
        return true;
    }

    static double squaredDistance(float[] a, float[] b) {
        double sum = 0.0;
        for (int i = 0; i < a.length; i++) {
            double difference = (double) a[i] - b[i];
            sum += difference * difference;
        }
        return sum;
    }

    static float[] scaled(float[] values, double factor) {
        Require.finite(factor, "inverseTemperature");
        float[] scaled = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            scaled[i] = (float) (values[i] * factor);
        }
        return scaled;
    }
}
