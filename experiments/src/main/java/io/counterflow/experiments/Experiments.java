package io.counterflow.experiments;

import io.counterflow.cli.Counterflow;
import io.counterflow.cli.console.CommandGroup;
import io.counterflow.cli.console.Terminal;
import java.util.List;

/** Starts {@code counterflow experiment}. */
public final class Experiments {

    private Experiments() {}

    public static void main(String[] args) {
        Counterflow.start(Experiments::commands, args);
    }

    static List<CommandGroup> commands(Terminal terminal) {
        return List.of(
                new CommandGroup(
                        "Check the paper's claims", List.of(new ExperimentCommand(terminal))));
    }
}
