package io.counterflow.cli.console;

/** What the command tells its caller; part of the contract with scripts. */
public final class ExitCode {

    public static final int DONE = 0;
    public static final int FAILED = 1;
    public static final int BAD_INPUT = 2;

    private ExitCode() {}
}
