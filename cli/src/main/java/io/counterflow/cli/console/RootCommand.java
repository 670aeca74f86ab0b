package io.counterflow.cli.console;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The root command: help and version. */
@Command(
        name = "counterflow",
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        description = {
            "Learn policies from logged decisions, evaluate them, and serve them.",
            "",
            "Results go to standard output, messages and progress to standard error.",
            "Exit codes: 0 success, 1 failure, 2 usage error or bad input.",
            "In a source checkout, \"counterflow experiment\" runs the experiments of the paper."
        },
        optionListHeading = "%nOptions:%n")
final class RootCommand implements Callable<Integer> {

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description =
                    "Show this help. Use COMMAND --help or help COMMAND for the help of a command.")
    @SuppressWarnings("UnusedVariable") // read by picocli
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version.")
    @SuppressWarnings("UnusedVariable") // read by picocli
    private boolean version;

    @Spec private @Nullable CommandSpec spec;

    /** Without a command: prints the help, and fails so that scripts notice. */
    @Override
    public Integer call() {
        var line = Objects.requireNonNull(spec).commandLine();
        line.usage(line.getErr());
        return ExitCode.BAD_INPUT;
    }
}
