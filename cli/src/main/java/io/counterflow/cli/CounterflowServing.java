package io.counterflow.cli;

import java.util.List;

/**
 * Starts the part of the {@code counterflow} command that an image for serving has: what needs
 * neither Flink nor a broker of its own, whose jars are three quarters of the whole command.
 */
public final class CounterflowServing {

    private CounterflowServing() {}

    public static void main(String[] args) {
        Counterflow.start(CounterflowServing::commands, args);
    }

    /** Not in {@link Commands}: loading that class wants the classes of all commands. */
    static List<CommandGroup> commands(Terminal terminal) {
        return List.of(
                new CommandGroup(
                        "Serve decisions",
                        List.of(new ServeCommand(terminal), new TrafficCommand(terminal))));
    }
}
