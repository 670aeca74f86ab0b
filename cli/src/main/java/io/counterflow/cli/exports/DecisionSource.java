package io.counterflow.cli.exports;

import io.counterflow.cli.console.FieldReport;
import java.io.IOException;

/** Reads decisions from log files or from topics. */
interface DecisionSource {

    /** Reads all decisions and gives them to an export. */
    void read(Export export) throws IOException;

    /** Adds what it has found to the report. */
    void addTo(FieldReport report);
}
