package io.counterflow.cli.savepoint;

import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Terminal;
import java.io.IOException;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a savepoint without some loops. */
@Command(
        name = "delete",
        description =
                "Write a new savepoint without some loops. The given one does not change. Start the job"
                        + " from the new one with --from-savepoint.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow savepoint delete savepoints/savepoint-1a2b3c front-page --output repaired",
            "  counterflow savepoint delete checkpoints/fd72014d/chk-12 home mail --output repaired"
        })
final class DeleteLoopsCommand implements Callable<Integer> {

    @Mixin private final Output output;
    @Mixin private final SavepointArgument savepoint = new SavepointArgument();

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "LOOP",
            description = "Names of the loops to delete.")
    private List<String> loops = List.of();

    @Option(
            names = "--output",
            required = true,
            paramLabel = "DIR",
            description = "Directory of the new savepoint, which must not exist; a path or a URI.")
    private String target = "";

    DeleteLoopsCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        List<String> deleted = List.copyOf(new TreeSet<>(loops));
        String written =
                savepoint.open(
                        it -> {
                            it.writeWithout(deleted, target);
                            return target;
                        });
        output.print(
                new FieldReport()
                        .field("savepoint", savepoint.path())
                        .field("deleted", deleted)
                        .field("output", written)
                        .line("wrote %s without %s", written, String.join(", ", deleted))
                        .line("start the job from it: --from-savepoint %s", written));
        return ExitCode.DONE;
    }
}
