package io.counterflow.core.rollout;

/**
 * What the examples so far show about the gain of candidates, estimated by D = (w<sub>c</sub> −
 * w<sub>a</sub>) r: the sum of D, and its standard deviation. It has a memory of about {@value
 * #MEMORY} examples, so that it follows changes.
 *
 * <p>This chooses how many events a candidate decides. Unlike {@link PolicyComparison}, it is no
 * test.
 */
final class GainEvidence {

    private static final double MEMORY = 50_000.0;
    private static final double DECAY = 1.0 - 1.0 / MEMORY;

    private double sum;
    private double squares;

    GainEvidence(GainState state) {
        this.sum = state.sum();
        this.squares = state.squares();
    }

    /** Adds D of an example. */
    void add(double difference) {
        sum = DECAY * sum + difference;
        squares = DECAY * DECAY * squares + difference * difference;
    }

    /**
     * By how many standard deviations the sum is above 0.
     *
     * @param prior added to the squares, because a variance is not known from a few examples
     */
    double deviations(double prior) {
        return sum / Math.sqrt(squares + prior);
    }

    void restart() {
        sum = 0.0;
        squares = 0.0;
    }

    GainState state() {
        return new GainState(sum, squares);
    }
}
