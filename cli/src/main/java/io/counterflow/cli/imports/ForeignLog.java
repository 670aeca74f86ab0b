package io.counterflow.cli.imports;

import io.counterflow.schemas.log.TextLines;
import java.io.IOException;

/** Reads logs of one format. One object reads all files of an import, one after the other. */
interface ForeignLog {

    /**
     * Reads a file and gives each of its records to the intake.
     *
     * @param source the name of the file, for the ids of events without one
     */
    void read(TextLines lines, String source, Intake intake) throws IOException;
}
