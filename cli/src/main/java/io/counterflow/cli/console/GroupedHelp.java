package io.counterflow.cli.console;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Help;

/**
 * The list of commands and the examples in the help of the root command.
 *
 * <p>The examples are the first ones of the first command of each group.
 */
public final class GroupedHelp {

    /** The heading of a command's examples, for {@code footerHeading}. */
    public static final String EXAMPLES = "%nExamples:%n";

    private final List<CommandGroup> groups;

    GroupedHelp(List<CommandGroup> groups) {
        this.groups = List.copyOf(groups);
    }

    String commands(Help help) {
        StringBuilder text = new StringBuilder();
        for (CommandGroup group : groups) {
            Map<String, String> rows = new LinkedHashMap<>();
            for (Callable<Integer> command : group.commands()) {
                CommandLine line = line(help, command);
                rows.put("  " + line.getCommandName(), summary(line));
            }
            text.append(System.lineSeparator()).append(group.title()).append(":");
            text.append(System.lineSeparator()).append(help.createTextTable(rows));
        }
        return text.toString();
    }

    String examples(Help help) {
        StringBuilder text = new StringBuilder();
        for (CommandGroup group : groups) {
            firstExample(line(help, group.commands().get(0)))
                    .ifPresent(example -> text.append(example).append(System.lineSeparator()));
        }
        return text.isEmpty() ? "" : EXAMPLES.formatted() + text;
    }

    private static CommandLine line(Help help, Callable<Integer> command) {
        return help.commandSpec().subcommands().values().stream()
                .filter(line -> line.getCommand() == command)
                .findFirst()
                .orElseThrow();
    }

    private static String summary(CommandLine line) {
        String[] description = line.getCommandSpec().usageMessage().description();
        return description.length == 0 ? "" : description[0].formatted();
    }

    private static Optional<String> firstExample(CommandLine line) {
        String[] footer = line.getCommandSpec().usageMessage().footer();
        return footer.length == 0 ? Optional.empty() : Optional.of(footer[0].formatted());
    }
}
