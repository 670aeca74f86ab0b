package io.counterflow.core.loop;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.objective.ExampleLoss;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A ring buffer of the most recent examples with their loss coefficients, limited in number and
 * bytes. A full ring overwrites its oldest example and allocates nothing.
 *
 * <p>Examples are numbered by age, starting with the oldest, independent of their position. So a
 * restored ring has the same numbers.
 */
final class ExampleRing {

    /** Memory of an example in bytes, without its features and exclusions. */
    static final long BYTES_AROUND_AN_EXAMPLE = 128;

    private final int capacity;
    private final long maxBytes;
    private final int fewest;
    private final ExampleLoss loss;
    private ExampleLog log = new ExampleLog(); // positions without an example have been released
    private double[] coefficients = new double[16];
    private int oldest;
    private int size;
    private long bytes;

    /**
     * @param fewest number of examples that are kept regardless of their size: the mini-batch that
     *     is being filled
     */
    ExampleRing(int capacity, long maxBytes, int fewest, ExampleLoss loss) {
        // More positions could never be filled.
        long places = Math.max(fewest, maxBytes / BYTES_AROUND_AN_EXAMPLE);
        this.capacity = (int) Math.min(capacity, places);
        this.maxBytes = maxBytes;
        this.fewest = fewest;
        this.loss = loss;
    }

    void add(LoggedExample example) {
        if (size == capacity) {
            dropOldest();
        }
        // Each example is one position after the previous one, modulo the capacity.
        int position = position(size);
        if (position == log.size()) {
            log.add(example);
            if (position == coefficients.length) {
                int longer = position + (position >> 1);
                coefficients = Arrays.copyOf(coefficients, Math.min(longer, capacity));
            }
        } else {
            log.replace(position, example);
        }
        coefficients[position] = loss.coefficient(example.propensity(), example.reward());
        size++;
        bytes += bytesOf(position);
        while (bytes > maxBytes && size > fewest) {
            dropOldest();
        }
    }

    private void dropOldest() {
        bytes -= bytesOf(oldest);
        log.release(oldest);
        oldest = position(1);
        size--;
    }

    private long bytesOf(int position) {
        return BYTES_AROUND_AN_EXAMPLE
                + log.features(position).bytes()
                + log.allowed(position).bytes();
    }

    int size() {
        return size;
    }

    /** Approximate size of the examples in bytes. */
    long bytes() {
        return bytes;
    }

    /** The position of an example in {@link #log()} by its age; the oldest has age 0. */
    int position(int age) {
        int toTheEnd = capacity - oldest; // the sum of the two may overflow an int
        return age < toTheEnd ? oldest + age : age - toTheEnd;
    }

    /** The log that holds the examples, at the positions of all ages. */
    ExampleLog log() {
        return log;
    }

    /** Coefficients of the loss, at the positions of {@link #log()}. Must not be modified. */
    double[] coefficients() {
        return coefficients;
    }

    /** Removes all but the newest examples. */
    void keepNewest(int count) {
        List<LoggedExample> all = examples();
        log = new ExampleLog();
        oldest = 0;
        size = 0;
        bytes = 0;
        for (LoggedExample example : all.subList(all.size() - count, all.size())) {
            add(example);
        }
    }

    /** All examples, oldest first. */
    List<LoggedExample> examples() {
        List<LoggedExample> examples = new ArrayList<>(size());
        for (int age = 0; age < size(); age++) {
            examples.add(log.example(position(age)));
        }
        return examples;
    }

    /** All examples as a log without gaps, oldest first. */
    ExampleLog all() {
        ExampleLog all = new ExampleLog();
        for (int age = 0; age < size(); age++) {
            all.add(log.example(position(age)));
        }
        return all;
    }

    /**
     * The examples of one policy version, oldest first.
     *
     * @param newest only so many of the newest examples are considered
     */
    ExampleLog loggedBy(long policyVersion, long newest) {
        ExampleLog selected = new ExampleLog();
        for (int age = (int) Math.max(0, size() - newest); age < size(); age++) {
            int position = position(age);
            if (log.policyVersion(position) == policyVersion) {
                selected.add(log.example(position));
            }
        }
        return selected;
    }
}
