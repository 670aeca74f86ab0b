package io.counterflow.cli.console;

import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the script with which a shell completes commands, options and files. */
@Command(
        name = "completion",
        description = {
            "Print the script with which your shell completes commands and options.",
            "Put this line into ~/.bashrc: source <(counterflow completion bash), and for zsh into "
                    + "~/.zshrc: source <(counterflow completion zsh)"
        },
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {"  counterflow completion bash", "  counterflow completion zsh"})
public final class CompletionCommand implements Callable<Integer> {

    /** A shell. One script serves both. */
    private enum Shell {
        BASH,
        ZSH;

        /** The name on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Mixin private final Output output;

    @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
    @SuppressWarnings("UnusedVariable") // checked by picocli
    private @Nullable Shell shell;

    @Spec private @Nullable CommandSpec spec;

    public CompletionCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() {
        CommandLine root = Objects.requireNonNull(spec).root().commandLine();
        String script = AutoComplete.bash(root.getCommandName(), root);
        output.print(new FieldReport().field("script", script).line("%s", script));
        return ExitCode.DONE;
    }
}
