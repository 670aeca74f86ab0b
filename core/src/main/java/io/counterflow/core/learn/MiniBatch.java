package io.counterflow.core.learn;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.policy.AllowedActions;
import org.jspecify.annotations.Nullable;

/**
 * Examples of a log, side by side.
 *
 * <p>A mini-batch lies all over its log, so each of its numbers is far from the last in memory.
 * They are fetched by loops that do nothing else: then the processor waits for many at once, not
 * for one after the other between two exponentials.
 */
final class MiniBatch {

    private final int[] positions;
    private final float[] @Nullable [] contexts;
    private final AllowedActions[] allowed; // where the log has exclusions
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

    /** Takes, of [from, to) of the order, the examples whose coefficient is not zero. */
    void take(double[] coefficientsOfLog, int[] order, int from, int to) {
        count = 0;
        for (int i = from; i < to; i++) {
            // Written in any case and kept by counting: whether to keep it can't be guessed.
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
     * Fetches actions, propensities and contexts of the examples taken, and what was allowed.
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
     * Coordinates of all contexts, of which the first {@link #count()} are of this batch; to be
     * used only where {@link #fetch} has said that all are dense.
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
