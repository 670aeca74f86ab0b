package io.counterflow.cli.offline;

import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.log.LogFiles;
import io.counterflow.cli.log.ServedOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Repeats every logged decision and compares actions and propensities. */
@Command(
        name = "audit",
        description = {
            "Repeat every decision of a log with its policy, and compare action and propensity with "
                    + "the log.",
            "The exit code is 1 if a decision differs."
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
                    "Directory with the snapshots that decided (*.snapshot) and, if specs have "
                            + "changed, the specs (*.spec.json). Without specs, each snapshot is "
                            + "served with its own settings.")
    private Path policies = Path.of("");

    public AuditCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        DecisionAudit audit = new DecisionAudit(AuditedPolicies.read(policies, served));
        files.read(output, audit::check);
        output.print(audit.report());
        audit.firstMismatch().ifPresent(first -> output.warn("first mismatch: event " + first));
        return audit.firstMismatch().isPresent() ? ExitCode.FAILED : ExitCode.DONE;
    }
}
