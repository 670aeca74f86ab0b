package io.counterflow.cli.console;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** Shows the help of a command, as {@code --help} after the command does. */
@Command(
        name = "help",
        description = "Show the help of a command.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {"  counterflow help train", "  counterflow help savepoint list"})
public final class HelpCommand implements Callable<Integer> {

    @Mixin private final Output output;

    @Parameters(
            arity = "0..*",
            paramLabel = "COMMAND",
            description = "A command. Default: an overview of all commands.")
    private List<String> words = List.of();

    @Spec private @Nullable CommandSpec spec;

    public HelpCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() {
        CommandLine line = Objects.requireNonNull(spec).root().commandLine();
        for (String word : words) {
            CommandLine member = line.getSubcommands().get(word);
            if (member == null) {
                throw new UnmatchedArgumentException(line, List.of(word));
            }
            line = member;
        }
        String help = line.getUsageMessage();
        output.print(new FieldReport().field("help", help).line("%s", help.stripTrailing()));
        return ExitCode.DONE;
    }
}
