package io.counterflow.cli;

import io.counterflow.cli.experiment.ExperimentCommand;
import java.util.List;

/** Every command, in the groups and the order in which the help shows them. */
final class Commands {

    private Commands() {}

    static List<CommandGroup> of(Terminal terminal) {
        return List.of(
                new CommandGroup("See it learn", List.of(new DemoCommand(terminal))),
                new CommandGroup(
                        "Learn from a log",
                        List.of(new TrainCommand(terminal), new LoggingPolicyCommand(terminal))),
                new CommandGroup(
                        "Judge a policy",
                        List.of(
                                new EvaluateCommand(terminal),
                                new BoundCommand(terminal),
                                new InspectCommand(terminal),
                                new AuditCommand(terminal))),
                new CommandGroup(
                        "Learn from a stream",
                        List.of(new JobCommand(terminal), new ReplayCommand(terminal))),
                new CommandGroup(
                        "Serve decisions",
                        List.of(new ServeCommand(terminal), new TrafficCommand(terminal))),
                new CommandGroup(
                        "Check the paper's claims", List.of(new ExperimentCommand(terminal))));
    }
}
