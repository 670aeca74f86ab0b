package io.counterflow.cli.exports;

import io.counterflow.cli.console.Losses;
import java.io.Closeable;
import java.io.IOException;

/**
 * Writes decisions to a file. The file appears when {@link #finish} is called; closing without it
 * leaves no file.
 */
interface DecisionWriter extends Closeable {

    /**
     * Appends a decision.
     *
     * @param losses receives what the format cannot hold
     * @throws LeftOutException if the format cannot hold the decision. The file is as before
     */
    void write(LoggedDecision decision, Losses<ExportLoss> losses)
            throws IOException, LeftOutException;

    /** Completes the file. */
    void finish() throws IOException;
}
