package io.counterflow.cli.console;

import picocli.CommandLine.Option;

/** The options that every command has, and the ways in which it speaks. A picocli mixin. */
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
            description = "No progress and no notes; warnings and errors remain.")
    private boolean quiet;

    @Option(
            names = {"-v", VERBOSE},
            description = "Show the stack trace when something fails.")
    @SuppressWarnings("UnusedVariable") // Failures asks for the option, not for its field
    private boolean verbose;

    public Output(Terminal terminal) {
        this.terminal = terminal;
    }

    /** Prints the result on standard output. */
    public void print(Report report) {
        String text = json ? JsonOutput.toJson(report.toJson()) : report.toText().stripTrailing();
        terminal.out().println(text);
        terminal.out().flush();
    }

    /** Says on standard error what is going on. */
    public void note(String message) {
        if (!quiet) {
            warn(message);
        }
    }

    /** Says on standard error what the user has to know, even when asked to be quiet. */
    public void warn(String message) {
        terminal.err().println(message);
        terminal.err().flush();
    }

    /**
     * Shows how far some work is, on standard error.
     *
     * @param label what is being done, such as {@code training}
     * @param unit what is counted, in the plural, such as {@code examples}
     * @param total how many there are, or {@link Progress#UNKNOWN}
     */
    public Progress progress(String label, String unit, long total) {
        return quiet
                ? Progress.silent(label, unit, total)
                : Progress.on(terminal, label, unit, total);
    }
}
