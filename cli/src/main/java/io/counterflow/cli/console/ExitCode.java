package io.counterflow.cli.console;

/** The exit codes of all commands. Scripts depend on them. */
public final class ExitCode {

    public static final int DONE = 0;
    public static final int FAILED = 1;
    public static final int BAD_INPUT = 2;

    private ExitCode() {}
}
