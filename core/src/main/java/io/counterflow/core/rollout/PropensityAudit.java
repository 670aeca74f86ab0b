package io.counterflow.core.rollout;

/**
 * Knows whether the propensities of a loop can be trusted. A wrong or inexact one closes the gate,
 * and a number of correct ones in a row opens it.
 *
 * <p>That number is {@value #FIRST_CLEAN_EXAMPLES} at first, so that a single wrong record does not
 * stop a loop with few decisions for long. It doubles each time that the gate closes again in the
 * same generation, up to {@value #MAX_CLEAN_EXAMPLES}, so that a log with a persistent fault stays
 * closed, and spends few shares of δ on comparisons that start again. If the mean weight is wrong,
 * it is {@value #MAX_CLEAN_EXAMPLES} at once: the propensities looked correct before.
 */
final class PropensityAudit {

    static final long FIRST_CLEAN_EXAMPLES = 100;
    static final long MAX_CLEAN_EXAMPLES = 10_000;

    private long cleanExamples;
    private long cleanExamplesLeft;
    private boolean trusted;

    PropensityAudit(GateState state) {
        this.cleanExamples = state.cleanExamples();
        this.cleanExamplesLeft = state.cleanExamplesLeft();
        this.trusted = state.trusted();
    }

    boolean isClosed() {
        return cleanExamplesLeft > 0;
    }

    /** Adds a wrong or inexact propensity. */
    void addWrong() {
        if (!isClosed()) {
            cleanExamples =
                    Math.min(MAX_CLEAN_EXAMPLES, Math.max(FIRST_CLEAN_EXAMPLES, 2 * cleanExamples));
        }
        cleanExamplesLeft = cleanExamples;
        trusted = false;
    }

    /** Closes the gate because correct propensities give wrong mean weights. */
    void addWrongMean() {
        cleanExamples = MAX_CLEAN_EXAMPLES;
        cleanExamplesLeft = cleanExamples;
        trusted = false;
    }

    /** Adds a correct propensity to a closed gate. */
    void addCorrect() {
        cleanExamplesLeft--;
    }

    void startGeneration() {
        trusted = !isClosed();
        if (!isClosed()) {
            cleanExamples = 0;
        }
    }

    /** Whether no propensity of this generation was found to be wrong or inexact. */
    boolean trusted() {
        return trusted;
    }

    /**
     * Number of correct propensities in a row that open the gate or, if it is open, opened it last;
     * 0 if it was not closed in this generation.
     */
    long cleanExamples() {
        return cleanExamples;
    }

    /** Number of correct propensities until a closed gate opens; 0 if it is open. */
    long cleanExamplesLeft() {
        return cleanExamplesLeft;
    }
}
