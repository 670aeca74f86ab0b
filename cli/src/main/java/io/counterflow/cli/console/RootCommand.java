package io.counterflow.cli.console;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What {@code counterflow} without a command is: its help and its version. */
@Command(
        name = "counterflow",
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        description = {
            "Learns a better policy from the traffic that the current one serves, and says how sure"
                    + " it is.",
            "",
            "Results go to standard output, messages and progress to standard error.",
            "Exit codes: 0 done, 1 failed, 2 wrong use or bad input."
        },
        optionListHeading = "%nOptions:%n")
final class RootCommand implements Callable<Integer> {

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help; COMMAND --help shows that of a command.")
    @SuppressWarnings("UnusedVariable") // read by picocli
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version.")
    @SuppressWarnings("UnusedVariable") // read by picocli
    private boolean version;

    @Spec private @Nullable CommandSpec spec;

    /** Nothing was asked for, which scripts should notice and people should be helped with. */
    @Override
    public Integer call() {
        var line = Objects.requireNonNull(spec).commandLine();
        line.usage(line.getErr());
        return ExitCode.BAD_INPUT;
    }
}
