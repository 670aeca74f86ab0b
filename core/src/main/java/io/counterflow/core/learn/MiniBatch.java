package io.counterflow.core.learn;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.policy.AllowedActions;
import org.jspecify.annotations.Nullable;

/**
 * The examples of a mini-batch, in arrays.
 *
 * <p>The examples of a mini-batch are scattered over the log in memory. Separate loops fetch their
 * numbers first, so that the processor can wait for many memory accesses in parallel.
 */
final class MiniBatch {

    private final int[] positions;
    private final float[] @Nullable [] contexts;
    private final AllowedActions[] allowed; // if the log has exclusions
    private final int[] actions;
    private final double[] propensities;
    private final double[] coefficients;
    private boolean restricted;
    private int count;

    MiniBatch(int capacity) {
        this.positions = new int[capacity];
        this.contexts = new float[capacity][];
        this.allowed = new AllowedActions[capacity];
        this.actions = new int[capacity];
        this.propensities = new double[capacity];
        this.coefficients = new double[capacity];
    }

    /** Selects the examples of [from, to) of the order whose coefficient is not zero. */
    void take(double[] coefficientsOfLog, int[] order, int from, int to) {
        count = 0;
        for (int i = from; i < to; i++) {
            // Always written, and kept by increasing the count: the branch would be unpredictable.
            double coefficient = coefficientsOfLog[order[i]];
            positions[count] = order[i];
            coefficients[count] = coefficient;
            count += coefficient != 0.0 ? 1 : 0;
        }
    }

    void clear() {
        count = 0;
    }

    /** Adds the example at a position of the log. */
    void add(int position) {
        positions[count++] = position;
    }

    /**
     * Fetches actions, propensities, contexts and allowed actions of the selected examples.
     *
     * @return true if all contexts are dense
     */
    boolean fetch(ExampleLog log) {
        boolean dense = true;
        for (int i = 0; i < count; i++) {
            float[] x = log.denseValues(positions[i]);
            dense &= x != null;
            contexts[i] = x;
        }
        for (int i = 0; i < count; i++) {
            actions[i] = log.action(positions[i]);
            propensities[i] = log.propensity(positions[i]);
        }
        restricted = log.hasExclusions();
        for (int i = 0; restricted && i < count; i++) {
            allowed[i] = log.allowed(positions[i]);
        }
        return dense;
    }

    int count() {
        return count;
    }

    boolean isFull() {
        return count == positions.length;
    }

    /** Position in the log. */
    int position(int i) {
        return positions[i];
    }

    /**
     * Coordinates of the contexts; the first {@link #count()} are in this batch. Valid only if
     * {@link #fetch} returned true.
     */
    float[][] contexts() {
        return contexts;
    }

    /** Whether an example of the log has excluded actions. */
    boolean isRestricted() {
        return restricted;
    }

    AllowedActions allowed(int i) {
        return restricted ? allowed[i] : AllowedActions.ALL;
    }

    int action(int i) {
        return actions[i];
    }

    double propensity(int i) {
        return propensities[i];
    }

    double coefficient(int i) {
        return coefficients[i];
    }
}
