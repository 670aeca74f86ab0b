package io.counterflow.core.rollout;

/**
 * Knows whether the propensities of a loop can be trusted. A wrong or inexact one closes the gate.
 * {@value #CLEAN_EXAMPLES} correct ones in a row open it.
 */
final class PropensityAudit {

    /** Number of correct propensities in a row that open a closed gate. */
    static final long CLEAN_EXAMPLES = 1_000;

    private long cleanExamplesLeft;
    private boolean trusted;

    PropensityAudit(GateState state) {
        this.cleanExamplesLeft = state.cleanExamplesLeft();
        this.trusted = state.trusted();
    }

    boolean isClosed() {
        return cleanExamplesLeft > 0;
    }

    /** Adds a wrong or inexact propensity. */
    void addWrong() {
        cleanExamplesLeft = CLEAN_EXAMPLES;
        trusted = false;
    }

    /** Adds a correct propensity to a closed gate. */
    void addCorrect() {
        cleanExamplesLeft--;
    }

    /** Adds a propensity that cannot be checked. */
    void addUnchecked() {
        trusted = false;
    }

    void startGeneration() {
        trusted = !isClosed();
    }

    /** Whether no propensity of this generation was found to be wrong or inexact. */
    boolean trusted() {
        return trusted;
    }

    /** Number of correct propensities until a closed gate opens; 0 if it is open. */
    long cleanExamplesLeft() {
        return cleanExamplesLeft;
    }
}
