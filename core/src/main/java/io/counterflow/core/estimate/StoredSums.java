package io.counterflow.core.estimate;

import java.util.ArrayList;
import java.util.List;

/**
 * The numbers of accumulators, stored one after the other and read in the order in which they were
 * written. Counts are exact as doubles up to 2<sup>53</sup>.
 */
final class StoredSums {

    private final List<Double> sums;
    private int next;

    /** To write to. */
    StoredSums() {
        this.sums = new ArrayList<>();
    }

    /** For reading. */
    StoredSums(List<Double> sums) {
        this.sums = sums;
    }

    void write(double sum) {
        sums.add(sum);
    }

    void writeCount(long count) {
        sums.add((double) count);
    }

    double read() {
        if (next == sums.size()) {
            throw new IllegalArgumentException(
                    "a stored evaluation must have more than %d sums".formatted(sums.size()));
        }
        double sum = sums.get(next++);
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
        if (next != sums.size()) {
            throw new IllegalArgumentException(
                    "a stored evaluation must have %d sums, got %d".formatted(next, sums.size()));
        }
    }

    List<Double> toList() {
        return List.copyOf(sums);
    }
}
