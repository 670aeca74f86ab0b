package io.counterflow.cli.console;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
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
        boolean badInput = failure instanceof BadInputException || isUnusablePath(failure);
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

    /** Paths come from the user, so these exceptions are bad input. */
    private static boolean isUnusablePath(Exception failure) {
        return failure instanceof NoSuchFileException
                || failure instanceof NotDirectoryException
                || failure instanceof AccessDeniedException;
    }

    private static String message(Exception failure) {
        if (failure instanceof BadInputException) {
            return String.valueOf(failure.getMessage());
        }
        if (failure instanceof FileSystemException onFile) {
            return "cannot use " + onFile.getFile() + ": " + reason(onFile);
        }
        String message = failure.getMessage();
        String kind = failure.getClass().getSimpleName();
        if (message == null) {
            return "failed: " + kind;
        }
        boolean ours = failure.getClass() == IllegalStateException.class; // has a complete message
        return "failed: " + (ours ? "" : kind + ": ") + message;
    }

    private static String reason(FileSystemException onFile) {
        if (onFile instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        if (onFile instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (onFile instanceof NotDirectoryException) {
            return "not a directory";
        }
        String reason = onFile.getReason();
        return reason == null ? onFile.getClass().getSimpleName() : reason;
    }
}
