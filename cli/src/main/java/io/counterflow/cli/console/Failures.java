package io.counterflow.cli.console;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** Turns the exception of a command into a message and an exit code. */
final class Failures implements IExecutionExceptionHandler {

    private final boolean debug;

    Failures(boolean debug) {
        this.debug = debug;
    }

    @Override
    public int handleExecutionException(Exception thrown, CommandLine line, ParseResult parsed) {
        Exception failure = unwrapped(thrown);
        boolean badInput = failure instanceof BadInputException || pathProblem(failure) != null;
        boolean verbose = debug || line.getParseResult().hasMatchedOption(Output.VERBOSE);
        PrintWriter err = line.getErr();
        err.println(line.getCommandSpec().qualifiedName() + ": " + message(failure));
        if (verbose) {
            thrown.printStackTrace(err);
        } else if (!badInput) {
            err.println(
                    "Run the command with "
                            + Output.VERBOSE
                            + " or COUNTERFLOW_DEBUG=1 to see the stack trace.");
        }
        err.flush();
        return badInput ? ExitCode.BAD_INPUT : ExitCode.FAILED;
    }

    private static Exception unwrapped(Exception thrown) {
        return thrown instanceof UncheckedIOException && thrown.getCause() instanceof IOException io
                ? io
                : thrown;
    }

    private static String message(Exception failure) {
        String message = failure.getMessage();
        String kind = failure.getClass().getSimpleName();
        if (failure instanceof BadInputException) {
            return String.valueOf(message);
        }
        if (failure instanceof FileSystemException onFile) {
            String problem = pathProblem(failure);
            String reason = problem == null ? onFile.getReason() : problem;
            return "cannot use " + onFile.getFile() + ": " + (reason == null ? kind : reason);
        }
        if (message == null) {
            return "failed: " + kind;
        }
        boolean ours = failure.getClass() == IllegalStateException.class; // has a complete message
        return "failed: " + (ours ? "" : kind + ": ") + message;
    }

    /** Paths come from the user, so these exceptions are bad input; null for others. */
    private static @Nullable String pathProblem(Exception failure) {
        if (failure instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        if (failure instanceof AccessDeniedException) {
            return "permission denied";
        }
        return failure instanceof NotDirectoryException ? "not a directory" : null;
    }
}
