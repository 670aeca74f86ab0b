package io.counterflow.cli.savepoint;

import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Table;
import io.counterflow.cli.console.Terminal;
import io.counterflow.core.rollout.Stage;
import io.counterflow.core.text.JsonName;
import io.counterflow.flink.loop.SavedLoop;
import io.counterflow.schemas.record.LoopStateRecord;
import io.counterflow.schemas.record.QuarantineRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists the loops in a savepoint. */
@Command(
        name = "list",
        description = "List the loops in a savepoint or checkpoint.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow savepoint list savepoints/savepoint-1a2b3c",
            "  counterflow savepoint list checkpoints/fd72014d4c864993a2e5a9287b4a9c5d/chk-12 --json"
        })
final class ListLoopsCommand implements Callable<Integer> {

    @Mixin private final Output output;
    @Mixin private final SavepointArgument savepoint = new SavepointArgument();

    ListLoopsCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        List<Row> rows =
                savepoint.open(
                        it -> {
                            List<Row> read = new ArrayList<>();
                            it.read(loop -> read.add(Row.of(loop)));
                            return read;
                        });
        rows.sort(Comparator.comparing(Row::loop));
        FieldReport report =
                new FieldReport().field("savepoint", savepoint.path()).field("loops", rows);
        output.print(rows.isEmpty() ? report.line("no loops") : report.table(table(rows)));
        return ExitCode.DONE;
    }

    private static Table table(List<Row> rows) {
        Table table =
                Table.withColumns(
                        "loop", "status", "spec", "entries", "examples", "active", "stage");
        for (Row row : rows) {
            table.row(
                    row.loop(),
                    row.status(),
                    text(row.specVersion()),
                    row.sequence(),
                    row.examples(),
                    text(row.activeVersion()),
                    row.stage());
        }
        return table;
    }

    private static @Nullable String text(@Nullable Long version) {
        return version == null ? null : version.toString();
    }

    /** A loop without its parameters, which may not fit in memory for all loops. */
    private record Row(
            String loop,
            String status,
            @Nullable Long specVersion,
            @Nullable Long sequence,
            @Nullable Long examples,
            @Nullable Long activeVersion,
            @Nullable String stage) {

        static Row of(SavedLoop loop) {
            @Nullable LoopStateRecord state = loop.state().orElse(null);
            String status = LoopStatus.of(loop).text();
            return state == null
                    ? new Row(
                            loop.name(),
                            status,
                            null,
                            loop.quarantine().map(QuarantineRecord::getSequence).orElse(null),
                            null,
                            null,
                            null)
                    : new Row(
                            loop.name(),
                            status,
                            loop.specs().map(it -> it.getInForce().getVersion()).orElse(null),
                            loop.quarantine()
                                    .map(QuarantineRecord::getSequence)
                                    .orElse(state.getSequence()),
                            state.getProgress().getReceived(),
                            state.getGate().getActiveVersion(),
                            JsonName.of(Stage.valueOf(state.getGate().getStage())));
        }
    }
}
