package io.counterflow.cli.offline;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.util.RawValue;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.log.KnownModel;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.snapshot.Certificate;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.snapshot.SnapshotJson;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
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
                    "Also show the parameters: as text the 10,000 largest weights, as JSON all. Every "
                            + "command accepts the JSON with parameters as a snapshot.")
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
            FieldReport report =
                    new FieldReport()
                            .section("snapshot")
                            .row("loop", snapshot.loop())
                            .row("version", Long.toString(snapshot.version()))
                            .row("parent", parent())
                            .row("created", snapshot.createdAt())
                            .row("model", snapshot.model())
                            .row("policy", JsonName.of(snapshot.decisionRule().kind()))
                            .row(
                                    "inverse temperature",
                                    Figures.setting(snapshot.decisionRule().inverseTemperature()))
                            .row(
                                    "exploration floor",
                                    Figures.setting(snapshot.decisionRule().explorationFloor()))
                            .row("variance", snapshot.variance())
                            .row("norm bound", setting(snapshot.normBound()))
                            .row("objective", orDash(snapshot.training().objective()))
                            .row("lambda", setting(snapshot.training().lambda()))
                            .row("tau", setting(snapshot.training().tau()))
                            .row("examples", snapshot.training().examples());
            snapshot.certificate().ifPresent(certificate -> rows(report, certificate));
            if (weights) {
                parameters().addTo(report);
            }
            return report.toText();
        }

        private @Nullable String parent() {
            return snapshot.parentVersion().isPresent()
                    ? Long.toString(snapshot.parentVersion().getAsLong())
                    : null;
        }

        private static void rows(FieldReport report, Certificate certificate) {
            report.row("learned from", Figures.count(certificate.n()) + " examples")
                    .row("  logging policy", certificate.estimates().onPolicyMean())
                    .row("  IPS", certificate.estimates().ips())
                    .row("  truncated IPS", certificate.estimates().truncatedIps())
                    .row("  self-normalised", certificate.estimates().selfNormalized())
                    .row("  effective sample size", certificate.effectiveSampleSize());
            certificate
                    .learnedFrom()
                    .ifPresent(
                            bound ->
                                    report.row("  value at least", bound.valueLowerBound())
                                            .row(
                                                    "  with probability",
                                                    Figures.setting(1.0 - certificate.delta()))
                                            .row(
                                                    "  posterior variance",
                                                    Figures.setting(bound.variance()))
                                            .row(
                                                    "  prior variance",
                                                    Figures.setting(bound.priorVariance()))
                                            .row("  KL divergence", bound.divergence()));
        }

        private static @Nullable String setting(OptionalDouble value) {
            return value.isPresent() ? Figures.setting(value.getAsDouble()) : null;
        }

        private static @Nullable String orDash(String text) {
            return text.isEmpty() ? null : text;
        }

        private LargestParameters parameters() {
            LargestParameters largest = new LargestParameters();
            if (snapshot.model() instanceof DenseModel dense) {
                for (int action = 0; action < dense.actions(); action++) {
                    largest.addBias(action, dense.biases()[action]);
                    largest.addWeights(action, dense.weights(action));
                }
            } else if (snapshot.model() instanceof HashedModel hashed) {
                largest.addWeights(LargestParameters.NO_ACTION, hashed.weights());
            }
            return largest;
        }

        @Override
        public Object toJson() {
            return weights && snapshot.model() instanceof HashedModel hashed
                    ? new HashedSnapshot(SnapshotJson.toJson(snapshot, false), hashed)
                    : new RawValue(SnapshotJson.toJson(snapshot, weights));
        }
    }

    /**
     * Writes weights one by one: there may be millions, and a tree of them needs far more memory.
     */
    private static final class HashedSnapshot extends JsonSerializable.Base {

        private final String withoutWeights;
        private final HashedModel model;

        HashedSnapshot(String withoutWeights, HashedModel model) {
            this.withoutWeights = withoutWeights;
            this.model = model;
        }

        @Override
        public void serialize(JsonGenerator json, SerializerProvider provider) throws IOException {
            json.writeStartObject();
            for (Map.Entry<String, JsonNode> field :
                    new ObjectMapper().readTree(withoutWeights).properties()) {
                json.writePOJOField(field.getKey(), field.getValue());
                if (field.getKey().equals("actionIds")) {
                    writeWeights(json);
                }
            }
            json.writeEndObject();
        }

        private void writeWeights(JsonGenerator json) throws IOException {
            json.writeObjectFieldStart("weights");
            for (int i = 0; i < model.weightCount(); i++) {
                float weight = model.weight(i);
                if (Float.floatToRawIntBits(weight) != 0) { // by its bits: -0.0 is kept
                    json.writeFieldId(i);
                    json.writeNumber(weight);
                }
            }
            json.writeEndObject();
        }

        @Override
        public void serializeWithType(
                JsonGenerator json, SerializerProvider provider, TypeSerializer type)
                throws IOException {
            serialize(json, provider); // the type of a snapshot is not written
        }
    }
}
