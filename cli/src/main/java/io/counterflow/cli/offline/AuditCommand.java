package io.counterflow.cli.offline;

import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.log.LogFiles;
import io.counterflow.cli.log.LogScan;
import io.counterflow.cli.log.ServedOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Draws every logged action again and recomputes its propensity. */
@Command(
        name = "audit",
        description = {
            "Draw every action of a log again, seeded by loop and event id, and recompute its "
                    + "propensity.",
            "Ends with 1 when a decision was not what the log says."
        },
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow audit --log monday.jsonl.gz --policies snapshots/",
            "  counterflow audit --log monday.avro --policies snapshots/ --exploration-floor 0.1",
            "  counterflow audit --log monday.avro --loop home --policies snapshots/ --json"
        })
public final class AuditCommand implements Callable<Integer> {

    @Mixin private final Output output;
    @Mixin private final LogFiles files = new LogFiles();
    @Mixin private final ServedOptions served = new ServedOptions();

    @Option(
            names = "--policies",
            required = true,
            paramLabel = "DIR",
            description =
                    "Folder with the snapshots that decided (*.snapshot) and, where specs changed "
                            + "meanwhile, the specs (*.spec.json); without specs, each snapshot is "
                            + "taken to be served as it says.")
    private Path policies = Path.of("");

    public AuditCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        DecisionAudit audit = new DecisionAudit(AuditedPolicies.read(policies, served));
        @Nullable String loop = files.loop();
        new LogScan(files, output)
                .read(
                        impression -> {
                            if (loop == null || loop.equals(impression.loop())) {
                                audit.check(impression);
                            }
                        },
                        () -> " (--skip-bad skips such lines)");
        output.print(audit.report());
        audit.firstMismatch().ifPresent(first -> output.warn("first mismatch: event " + first));
        return audit.firstMismatch().isPresent() ? ExitCode.FAILED : ExitCode.DONE;
    }
}
