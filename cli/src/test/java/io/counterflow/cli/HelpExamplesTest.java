package io.counterflow.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.counterflow.cli.console.Capture;
import io.counterflow.cli.console.CommandGroup;
import io.counterflow.cli.console.CommandLines;
import io.counterflow.cli.console.ProbeCommand;
import io.counterflow.cli.console.Terminal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Checks the help of every command, and that its examples are valid. */
final class HelpExamplesTest {

    private static final String PREFIX = "counterflow ";

    private final Terminal terminal = Capture.plain().terminal();
    private final CommandLine root = CommandLines.of(terminal, groups());

    @Test
    void everyCommandHasADescriptionAndAnExample() {
        for (CommandLine command : commands(root)) {
            String name = command.getCommandName();
            var help = command.getCommandSpec().usageMessage();
            assertThat(help.description()).as("description of %s", name).isNotEmpty();
            assertThat(examples(command)).as("examples of %s", name).isNotEmpty();
        }
    }

    @Test
    void everyCommandAcceptsItsExamples() {
        for (CommandLine command : commands(root)) {
            for (String example : examples(command)) {
                String[] args = example.substring(PREFIX.length()).split(" +", -1);
                assertThatCode(() -> root.parseArgs(args)).as(example).doesNotThrowAnyException();
            }
        }
    }

    @Test
    void noExampleWrapsToASecondLine() {
        for (CommandLine command : commands(root)) {
            int width = command.getUsageHelpWidth();
            assertThat(command.getCommandSpec().usageMessage().footer())
                    .as("footer of %s", command.getCommandName())
                    .allMatch(line -> line.length() < width);
        }
    }

    @Test
    void everyCommandHasTheCommonOptions() {
        for (CommandLine command : commands(root)) {
            assertThat(command.getCommandSpec().optionsMap())
                    .as(command.getCommandName())
                    .containsKeys("--help", "--json", "--quiet", "--verbose");
        }
    }

    /** Includes subcommands, such as {@code experiment table1}. */
    private static List<CommandLine> commands(CommandLine parent) {
        List<CommandLine> commands = new ArrayList<>();
        for (CommandLine command : parent.getSubcommands().values()) {
            commands.add(command);
            commands.addAll(commands(command));
        }
        return commands;
    }

    /** Includes the probe, so that there is always a command. */
    private List<CommandGroup> groups() {
        List<CommandGroup> groups = new ArrayList<>(Commands.of(terminal));
        groups.add(new CommandGroup("Probing", List.of(new ProbeCommand(terminal, output -> {}))));
        return groups;
    }

    private static List<String> examples(CommandLine command) {
        List<String> examples = new ArrayList<>();
        String[] footer = command.getCommandSpec().usageMessage().footer();
        Arrays.stream(footer)
                .map(line -> line.formatted().strip())
                .filter(line -> line.startsWith(PREFIX))
                .forEach(examples::add);
        return examples;
    }
}
