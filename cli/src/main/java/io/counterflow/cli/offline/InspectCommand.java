package io.counterflow.cli.offline;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.Table;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.log.KnownModel;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.snapshot.Certificate;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.snapshot.SnapshotJson;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the contents of a snapshot. */
@Command(
        name = "inspect",
        description = "Show the contents of a snapshot: policy, lineage and certificate.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow inspect better.snapshot",
            "  counterflow inspect better.snapshot --weights --json"
        })
public final class InspectCommand implements Callable<Integer> {

    @Mixin private final Output output;

    @Parameters(paramLabel = "SNAPSHOT", description = "A snapshot file, binary or JSON.")
    private Path file = Path.of("");

    @Option(
            names = "--weights",
            description =
                    "Also show all parameters. Every command accepts the JSON with parameters as a "
                            + "snapshot.")
    private boolean weights;

    public InspectCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() {
        output.print(new Inspection(KnownModel.read(file).snapshot(), weights));
        return ExitCode.DONE;
    }

    /** The text is a summary. The JSON form is the snapshot's own. */
    private record Inspection(PolicySnapshot snapshot, boolean weights) implements Report {

        @Override
        public String toText() {
            Table table =
                    Table.withColumns("snapshot", "")
                            .row("loop", snapshot.loop())
                            .row("version", Long.toString(snapshot.version()))
                            .row("parent", parent())
                            .row("created", snapshot.createdAt().toString())
                            .row("model", snapshot.model().toString())
                            .row("policy", JsonName.of(snapshot.decisionRule().kind()))
                            .row(
                                    "inverse temperature",
                                    Figures.setting(snapshot.decisionRule().inverseTemperature()))
                            .row(
                                    "exploration floor",
                                    Figures.setting(snapshot.decisionRule().explorationFloor()))
                            .row("variance", number(snapshot.variance()))
                            .row("norm bound", setting(snapshot.normBound()))
                            .row("objective", orDash(snapshot.training().objective()))
                            .row("lambda", setting(snapshot.training().lambda()))
                            .row("tau", setting(snapshot.training().tau()))
                            .row("examples", Figures.count(snapshot.training().examples()));
            snapshot.certificate().ifPresent(certificate -> rows(table, certificate));
            return weights ? table + System.lineSeparator() + parameters() : table.toString();
        }

        private @Nullable String parent() {
            return snapshot.parentVersion().isPresent()
                    ? Long.toString(snapshot.parentVersion().getAsLong())
                    : null;
        }

        private static void rows(Table table, Certificate certificate) {
            table.row("certificate", "on " + Figures.count(certificate.n()) + " examples")
                    .row("  logging policy", Figures.of(certificate.estimates().onPolicyMean()))
                    .row("  IPS", Figures.of(certificate.estimates().ips()))
                    .row("  truncated IPS", Figures.of(certificate.estimates().truncatedIps()))
                    .row("  self-normalised", Figures.of(certificate.estimates().selfNormalized()))
                    .row("  effective sample size", Figures.of(certificate.effectiveSampleSize()))
                    .row("  risk bound of the paper", number(certificate.riskBound()))
                    .row(
                            "  value at least (log-smoothed)",
                            number(certificate.logSmoothedLowerBound()))
                    .row("  with probability", Figures.setting(1.0 - certificate.delta()));
        }

        private static @Nullable String number(OptionalDouble value) {
            return value.isPresent() ? Figures.of(value.getAsDouble()) : null;
        }

        private static @Nullable String setting(OptionalDouble value) {
            return value.isPresent() ? Figures.setting(value.getAsDouble()) : null;
        }

        private static @Nullable String orDash(String text) {
            return text.isEmpty() ? null : text;
        }

        /** Every weight that is not zero, and every bias. */
        private String parameters() {
            Table table = Table.withColumns("parameter", "value");
            if (snapshot.model() instanceof DenseModel dense) {
                for (int action = 0; action < dense.actions(); action++) {
                    table.row("action %d, bias".formatted(action), dense.biases()[action]);
                    row(table, "action %d, feature ".formatted(action), dense.weights(action));
                }
            } else if (snapshot.model() instanceof HashedModel hashed) {
                row(table, "index ", hashed.weights());
            }
            return table.toString();
        }

        private static void row(Table table, String prefix, float[] weights) {
            for (int i = 0; i < weights.length; i++) {
                if (weights[i] != 0.0f) {
                    table.row(prefix + i, weights[i]);
                }
            }
        }

        @Override
        public Object toJson() {
            try {
                return new ObjectMapper().readTree(SnapshotJson.toJson(snapshot, weights));
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("the snapshot's own JSON cannot be read", e);
            }
        }
    }
}
