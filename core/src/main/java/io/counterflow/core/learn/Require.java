package io.counterflow.core.learn;

/** Checks of settings, stated positively so that NaN is refused as well. */
final class Require {

    private Require() {}

    static void inUnitInterval(String name, double value) {
        if (!(value > 0.0 && value <= 1.0)) {
            throw new IllegalArgumentException(name + " must be in (0, 1], got " + value);
        }
    }

    static void positive(String name, double value) {
        if (!(value > 0.0 && value <= Double.MAX_VALUE)) {
            throw new IllegalArgumentException(name + " must be finite and above 0, got " + value);
        }
    }

    static void notNegative(String name, double value) {
        if (!(value >= 0.0 && value <= Double.MAX_VALUE)) {
            throw new IllegalArgumentException(
                    name + " must be finite and at least 0, got " + value);
        }
    }

    static void atLeastOne(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, got " + value);
        }
    }
}
