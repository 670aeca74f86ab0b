package io.counterflow.cli.savepoint;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.flink.savepoint.Savepoint;
import io.counterflow.flink.savepoint.UnusableSavepointException;
import java.io.IOException;
import picocli.CommandLine.Parameters;

/** The savepoint of a command. A picocli mixin. */
final class SavepointArgument {

    /** Work on a savepoint. */
    @FunctionalInterface
    interface Work<T> {
        T on(Savepoint savepoint) throws IOException;
    }

    @Parameters(
            index = "0",
            paramLabel = "SAVEPOINT",
            description = "Directory of a savepoint or of a retained checkpoint; a path or a URI.")
    private String path = "";

    String path() {
        return path;
    }

    /** Opens the savepoint. What cannot be done with it is bad input. */
    <T> T open(Work<T> work) throws IOException {
        try {
            return work.on(Savepoint.open(path));
        } catch (UnusableSavepointException e) {
            throw new BadInputException(String.valueOf(e.getMessage()), e);
        }
    }
}
