package io.counterflow.cli.console;

import java.util.List;
import java.util.concurrent.Callable;

/**
 * A group of commands in the help.
 *
 * @param title heading in the help
 * @param commands objects with picocli's {@code @Command} annotation; they return an {@link
 *     ExitCode}
 */
public record CommandGroup(String title, List<Callable<Integer>> commands) {

    public CommandGroup {
        if (title.isBlank()) {
            throw new IllegalArgumentException("title must not be blank");
        }
        if (commands.isEmpty()) {
            throw new IllegalArgumentException(
                    "commands of \"" + title + "\" must not be empty, got none");
        }
        commands = List.copyOf(commands);
    }
}
