package io.counterflow.cli;

import io.counterflow.cli.backup.BackupCommand;
import io.counterflow.cli.backup.RestoreCommand;
import io.counterflow.cli.console.CommandGroup;
import io.counterflow.cli.console.CompletionCommand;
import io.counterflow.cli.console.HelpCommand;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.demo.DemoCommand;
import io.counterflow.cli.evaluate.EvaluateCommand;
import io.counterflow.cli.exports.ExportCommand;
import io.counterflow.cli.imports.ImportCommand;
import io.counterflow.cli.offline.AuditCommand;
import io.counterflow.cli.offline.BoundCommand;
import io.counterflow.cli.offline.InspectCommand;
import io.counterflow.cli.offline.LoggingPolicyCommand;
import io.counterflow.cli.offline.TrainCommand;
import io.counterflow.cli.savepoint.SavepointCommand;
import io.counterflow.cli.standalone.StandaloneCommand;
import io.counterflow.cli.streaming.BrokerCommand;
import io.counterflow.cli.streaming.ChangeRolloutCommand;
import io.counterflow.cli.streaming.JobCommand;
import io.counterflow.cli.streaming.ReplayCommand;
import io.counterflow.cli.streaming.ServeCommand;
import io.counterflow.cli.traffic.TrafficCommand;
import java.util.List;

/** All commands, in the groups and the order of the help. */
final class Commands {

    private Commands() {}

    static List<CommandGroup> of(Terminal terminal) {
        return List.of(
                new CommandGroup(
                        "Try it",
                        List.of(
                                new DemoCommand(terminal),
                                new StandaloneCommand(terminal),
                                new BrokerCommand(terminal))),
                new CommandGroup(
                        "Learn from a log",
                        List.of(
                                new ImportCommand(terminal),
                                new ExportCommand(terminal),
                                new TrainCommand(terminal),
                                new LoggingPolicyCommand(terminal))),
                new CommandGroup(
                        "Evaluate a policy",
                        List.of(
                                new EvaluateCommand(terminal),
                                new BoundCommand(terminal),
                                new InspectCommand(terminal),
                                new AuditCommand(terminal))),
                new CommandGroup(
                        "Learn from a stream",
                        List.of(
                                new JobCommand(terminal),
                                new ReplayCommand(terminal),
                                new SavepointCommand(terminal),
                                new BackupCommand(terminal),
                                new RestoreCommand(terminal))),
                new CommandGroup(
                        "Serve decisions",
                        List.of(
                                new ServeCommand(terminal),
                                new ChangeRolloutCommand(terminal),
                                new TrafficCommand(terminal))),
                new CommandGroup(
                        "Use this command",
                        List.of(new HelpCommand(terminal), new CompletionCommand(terminal))));
    }
}
