package io.counterflow.cli.savepoint;

import io.counterflow.cli.console.CommandFamily;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Terminal;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The commands for the loops in a savepoint. */
@Command(
        name = "savepoint",
        description =
                "List, show and delete the loops in a savepoint or checkpoint of the job, while the job"
                        + " does not run.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow savepoint list savepoints/savepoint-1a2b3c",
            "  counterflow savepoint show savepoints/savepoint-1a2b3c front-page",
            "  counterflow savepoint delete savepoints/savepoint-1a2b3c front-page --output repaired"
        })
public final class SavepointCommand implements Callable<Integer>, CommandFamily {

    private final Terminal terminal;

    @Mixin
    @SuppressWarnings("UnusedVariable") // the options of all commands
    private final Output output;

    @Spec private @Nullable CommandSpec spec;

    public SavepointCommand(Terminal terminal) {
        this.terminal = terminal;
        this.output = new Output(terminal);
    }

    @Override
    public List<Callable<Integer>> commands() {
        return List.of(
                new ListLoopsCommand(terminal),
                new ShowLoopCommand(terminal),
                new DeleteLoopsCommand(terminal));
    }

    /** Called if no command is named. */
    @Override
    public Integer call() {
        var line = Objects.requireNonNull(spec).commandLine();
        line.usage(line.getErr());
        return ExitCode.BAD_INPUT;
    }
}
