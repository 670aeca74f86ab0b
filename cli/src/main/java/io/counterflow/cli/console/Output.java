package io.counterflow.cli.console;

import picocli.CommandLine.Option;

/** The options and the output of every command. A picocli mixin. */
public final class Output {

    static final String VERBOSE = "--verbose";

    private final Terminal terminal;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    @SuppressWarnings("UnusedVariable") // read by picocli
    private boolean help;

    @Option(names = "--json", description = "Print the result as one JSON object.")
    private boolean json;

    @Option(
            names = {"-q", "--quiet"},
            description = "Print no progress and no notes, only warnings and errors.")
    private boolean quiet;

    @Option(
            names = {"-v", VERBOSE},
            description = "Print the stack trace of a failure.")
    @SuppressWarnings("UnusedVariable") // Failures checks the option, not the field
    private boolean verbose;

    public Output(Terminal terminal) {
        this.terminal = terminal;
    }

    public void print(Report report) {
        if (json) {
            JsonOutput.write(report.toJson(), terminal.out());
        } else {
            terminal.out().print(report.toText().stripTrailing());
        }
        terminal.out().println();
        terminal.out().flush();
    }

    /** Prints a message about the progress on standard error, unless quiet. */
    public void note(String message) {
        if (!quiet) {
            warn(message);
        }
    }

    public void warn(String message) {
        terminal.err().println(message);
        terminal.err().flush();
    }

    /**
     * Shows the progress of long work on standard error.
     *
     * @param label the work, such as {@code training}
     * @param unit the unit of the counts, in the plural, such as {@code examples}
     * @param total the total count
     */
    public Progress progress(String label, String unit, long total) {
        return new Progress(quiet ? null : terminal, label, unit, total);
    }
}
