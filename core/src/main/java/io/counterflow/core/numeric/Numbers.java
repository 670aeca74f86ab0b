package io.counterflow.core.numeric;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** An immutable row of numbers, compared by their bits. */
public final class Numbers {

    private final double[] values;

    private Numbers(double[] values) {
        this.values = values;
    }

    /** The given numbers; the array is copied. */
    public static Numbers of(double... values) {
        return new Numbers(values.clone());
    }

    public int size() {
        return values.length;
    }

    public double get(int i) {
        return values[i];
    }

    /** The numbers as an array; a copy. */
    public double[] toArray() {
        return values.clone();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Numbers that && Arrays.equals(values, that.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        return Arrays.toString(values);
    }
}
