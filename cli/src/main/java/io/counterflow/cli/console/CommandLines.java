package io.counterflow.cli.console;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Builds the command line: root, commands, help and error handling. */
public final class CommandLines {

    private static final int HELP_WIDTH = 100;

    private CommandLines() {}

    public static CommandLine of(Terminal terminal, List<CommandGroup> groups) {
        CommandLine root = new CommandLine(new RootCommand());
        for (CommandGroup group : groups) {
            group.commands().forEach(command -> add(root, command));
        }
        GroupedHelp help = new GroupedHelp(groups);
        root.getHelpSectionMap()
                .put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, unused -> "");
        root.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, help::commands);
        root.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_FOOTER, help::examples);
        // These settings also apply to the commands that were added above.
        return root.setOut(terminal.out())
                .setErr(terminal.err())
                .setUsageHelpWidth(HELP_WIDTH)
                .setExpandAtFiles(false) // a file name may start with @
                .setCaseInsensitiveEnumValuesAllowed(true)
                .registerConverter(Duration.class, Ranges::duration)
                .setParameterExceptionHandler(new UsageError())
                .setExecutionExceptionHandler(new Failures(terminal.debug()));
    }

    private static void add(CommandLine parent, Callable<Integer> command) {
        CommandLine line = new CommandLine(command);
        UsageMessageSpec usage = line.getCommandSpec().usageMessage();
        usage.parameterListHeading("%n").optionListHeading("%nOptions:%n");
        if (command instanceof CommandFamily family) {
            family.commands().forEach(member -> add(line, member));
            usage.commandListHeading("%nCommands:%n").synopsisSubcommandLabel("COMMAND");
        }
        parent.addSubcommand(line);
    }
}
