package io.counterflow.core.loop;

import io.counterflow.core.learn.ExampleLoss;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The most recent examples, at most so many, each with its coefficient of the loss. A full ring
 * overwrites its oldest example and allocates nothing.
 *
 * <p>Examples are counted by age, from the oldest, wherever they lie: a ring that was stored and
 * filled again counts them the same way.
 */
final class ExampleRing {

    private final int capacity;
    private final ExampleLoss loss;
    private ExampleLog log = new ExampleLog();
    private double[] coefficients = new double[16];
    private int oldest;

    ExampleRing(int capacity, ExampleLoss loss) {
        this.capacity = capacity;
        this.loss = loss;
    }

    void add(LoggedExample example) {
        int position = log.size();
        if (position < capacity) {
            log.add(example);
            if (position == coefficients.length) {
                int longer = position + (position >> 1);
                coefficients = Arrays.copyOf(coefficients, Math.min(longer, capacity));
            }
        } else {
            position = oldest;
            log.replace(position, example);
            oldest = oldest + 1 == capacity ? 0 : oldest + 1;
        }
        coefficients[position] = loss.coefficient(example.propensity(), example.reward());
    }

    int size() {
        return log.size();
    }

    /** Where an example lies in {@link #log()}, by its age from the oldest, 0. */
    int position(int age) {
        int position = oldest + age; // at most twice the capacity, less one
        return position >= log.size() || position < 0 ? position - log.size() : position;
    }

    /** The examples, in no particular order. */
    ExampleLog log() {
        return log;
    }

    /** Coefficients of the loss, at the positions of {@link #log()}. Not to be modified. */
    double[] coefficients() {
        return coefficients;
    }

    /** Forgets all but the newest examples. */
    void keepNewest(int count) {
        List<LoggedExample> all = examples();
        log = new ExampleLog();
        oldest = 0;
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
