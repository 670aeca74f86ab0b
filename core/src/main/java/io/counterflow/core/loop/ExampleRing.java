package io.counterflow.core.loop;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.objective.ExampleLoss;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The most recent examples, at most so many and so many bytes, each with its coefficient of the
 * loss. A full ring overwrites its oldest example and allocates nothing.
 *
 * <p>Examples are counted by age, from the oldest, wherever they lie: a ring that was stored and
 * filled again counts them the same way.
 */
final class ExampleRing {

    /** What an example takes in memory beside its features and exclusions. */
    static final long BYTES_AROUND_AN_EXAMPLE = 128;

    private final int capacity;
    private final long maxBytes;
    private final int fewest;
    private final ExampleLoss loss;
    private ExampleLog log = new ExampleLog(); // places without an example have been released
    private double[] coefficients = new double[16];
    private int oldest;
    private int size;
    private long bytes;

    /**
     * @param capacity most examples
     * @param maxBytes most bytes
     * @param fewest examples that stay, however large: the mini-batch that is being filled
     */
    ExampleRing(int capacity, long maxBytes, int fewest, ExampleLoss loss) {
        // More could never be filled, and places are not given back.
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
        // Each example lies one place after the one before it, round and round.
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

    /** Bytes of the examples in here, about. */
    long bytes() {
        return bytes;
    }

    /** Where an example lies in {@link #log()}, by its age from the oldest, 0. */
    int position(int age) {
        int toTheEnd = capacity - oldest; // no sum of the two, which may be beyond an int
        return age < toTheEnd ? oldest + age : age - toTheEnd;
    }

    /** The examples at the positions of all ages; other places hold none. */
    ExampleLog log() {
        return log;
    }

    /** Coefficients of the loss, at the positions of {@link #log()}. Must not be modified. */
    double[] coefficients() {
        return coefficients;
    }

    /** Forgets all but the newest examples. */
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

    /** All examples, the oldest first. */
    List<LoggedExample> examples() {
        List<LoggedExample> examples = new ArrayList<>(size());
        for (int age = 0; age < size(); age++) {
            examples.add(log.example(position(age)));
        }
        return examples;
    }

    /** The examples that one policy version logged, the oldest first. */
    ExampleLog loggedBy(long policyVersion) {
        ExampleLog selected = new ExampleLog();
        for (int age = 0; age < size(); age++) {
            int position = position(age);
            if (log.policyVersion(position) == policyVersion) {
                selected.add(log.example(position));
            }
        }
        return selected;
    }
}
