package io.counterflow.core.estimate;

import io.counterflow.core.numeric.Numbers;
import java.util.Arrays;

/**
 * The numbers of accumulators, stored one after the other and read in the order in which they were
 * written. Counts are exact as doubles up to 2<sup>53</sup>.
 */
final class StoredSums {

    private double[] sums;
    private int size;
    private int next;

    /** To write to. */
    StoredSums() {
        this.sums = new double[32];
    }

    /** For reading. */
    StoredSums(Numbers sums) {
        this.sums = sums.toArray();
        this.size = sums.size();
    }

    void write(double sum) {
        if (size == sums.length) {
            sums = Arrays.copyOf(sums, 2 * size);
        }
        sums[size++] = sum;
    }

    void writeCount(long count) {
        write((double) count);
    }

    double read() {
        if (next == size) {
            throw new IllegalArgumentException(
                    "a stored evaluation must have more than %d sums".formatted(size));
        }
        double sum = sums[next++];
        if (!Double.isFinite(sum)) {
            throw new IllegalArgumentException("stored sums must be finite, got " + sum);
        }
        return sum;
    }

    long readCount() {
        double count = read();
        if (!(count >= 0.0 && count <= 0x1p53 && count == Math.rint(count))) {
            throw new IllegalArgumentException(
                    "a stored count must be a whole number of at least 0, got " + count);
        }
        return (long) count;
    }

    /** Refuses numbers that have not been read. */
    void requireEnd() {
        if (next != size) {
            throw new IllegalArgumentException(
                    "a stored evaluation must have %d sums, got %d".formatted(next, size));
        }
    }

    Numbers toNumbers() {
        return Numbers.of(Arrays.copyOf(sums, size));
    }
}
