package io.counterflow.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** Starts the {@code counterflow} command. */
public final class Counterflow {

    private Counterflow() {}

    public static void main(String[] args) {
        // Not System.out: it forgets why a write failed, and its encoding depends on the locale.
        ResultStream results = new ResultStream(new FileOutputStream(FileDescriptor.out));
        Terminal terminal =
                new Terminal(
                        new PrintWriter(results, false, StandardCharsets.UTF_8),
                        new PrintWriter(System.err, true, StandardCharsets.UTF_8),
                        Boolean.getBoolean("counterflow.liveProgress"),
                        "1".equals(System.getenv("COUNTERFLOW_DEBUG")),
                        System::nanoTime);
        int exitCode = CommandLines.of(terminal, Commands.of(terminal)).execute(args);
        System.exit(finish(exitCode, results, terminal));
    }

    /** Flushes what was printed; results that could not be written turn success into failure. */
    static int finish(int exitCode, ResultStream results, Terminal terminal) {
        terminal.out().flush();
        IOException failure = results.failure();
        if (failure == null || results.readerHasGone()) {
            return exitCode; // as in "counterflow ... | head": the reader has what it wanted
        }
        terminal.err()
                .println("counterflow: cannot write to standard output: " + failure.getMessage());
        terminal.err().flush();
        return exitCode == ExitCode.DONE ? ExitCode.FAILED : exitCode;
    }
}
