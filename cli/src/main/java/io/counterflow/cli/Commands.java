package io.counterflow.cli;

import java.util.List;

/** Every command, in the groups and the order in which the help shows them. */
final class Commands {

    private Commands() {}

    static List<CommandGroup> of(Terminal terminal) {
        return List.of();
    }
}
