package io.counterflow.schemas.snapshot;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.Interaction;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.snapshot.Certificate;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.json.JsonDocument;
import io.counterflow.schemas.json.JsonLimits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalDouble;

/**
 * Snapshots as JSON, for people and other programs:
 *
 * <pre>{@code
 * {"loop":"home","version":4,"parentVersion":3,…,"model":"dense","actions":2,"features":3,
 *  "weights":[[0.1,0.0,0.7],[0.0,0.2,0.0]],"biases":[0.0,0.1],…}
 * }</pre>
 *
 * <p>A hashed model has {@code "bits"}, {@code "interactions"}, {@code "actionIds"} and {@code
 * "weights":{index: value}}. With weights, reading gives the same snapshot again, bit by bit.
 * {@code checksum} is verified where it is given; leave it out of a file edited by hand.
 */
public final class SnapshotJson {

    private static final JsonFactory FACTORY =
            JsonDocument.factory(new JsonLimits(16, 65_536, 1, 1));

    private SnapshotJson() {}

    /** The snapshot as one line of JSON. */
    public static String toJson(PolicySnapshot snapshot, boolean withWeights) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(1024);
        try {
            write(snapshot, withWeights, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Writes the snapshot as one line of JSON in UTF-8. The stream stays open. */
    public static void write(PolicySnapshot snapshot, boolean withWeights, OutputStream out)
            throws IOException {
        try (JsonGenerator json =
                FACTORY.createGenerator(out, JsonEncoding.UTF8)
                        .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
            write(snapshot, withWeights, json);
        }
    }

    /** Writes the snapshot as the generator's next value. */
    public static void write(PolicySnapshot snapshot, boolean withWeights, JsonGenerator json)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("loop", snapshot.loop());
        json.writeNumberField("version", snapshot.version());
        if (snapshot.parentVersion().isPresent()) {
            json.writeNumberField("parentVersion", snapshot.parentVersion().getAsLong());
        } else {
            json.writeNullField("parentVersion");
        }
        json.writeStringField("createdAt", snapshot.createdAt().toString());
        if (snapshot.model() instanceof DenseModel dense) {
            writeDense(dense, withWeights, json);
        } else if (snapshot.model() instanceof HashedModel hashed) {
            writeHashed(hashed, snapshot.encoder().orElseThrow(), withWeights, json);
        }
        DecisionRule rule = snapshot.decisionRule();
        json.writeStringField("policy", JsonName.of(rule.kind()));
        json.writeStringField("propensityKind", JsonName.of(rule.propensityKind()));
        json.writeNumberField("propensityDraws", rule.propensityDraws());
        json.writeNumberField("inverseTemperature", rule.inverseTemperature());
        json.writeNumberField("explorationFloor", rule.explorationFloor());
        write("variance", snapshot.variance(), json);
        write("normBound", snapshot.normBound(), json);
        write(snapshot.training(), json);
        if (snapshot.certificate().isPresent()) {
            write(snapshot.certificate().get(), json);
        }
        json.writeStringField("checksum", SnapshotConversion.toRecord(snapshot).getChecksum());
        json.writeEndObject();
    }

    private static void writeDense(DenseModel model, boolean withWeights, JsonGenerator json)
            throws IOException {
        json.writeStringField("model", "dense");
        json.writeNumberField("actions", model.actions());
        json.writeNumberField("features", model.dimension());
        if (withWeights) {
            json.writeArrayFieldStart("weights");
            for (int action = 0; action < model.actions(); action++) {
                write(model.weights(action), json);
            }
            json.writeEndArray();
            json.writeFieldName("biases");
            write(model.biases(), json);
        }
    }

    private static void writeHashed(
            HashedModel model, EncoderSpec encoder, boolean withWeights, JsonGenerator json)
            throws IOException {
        json.writeStringField("model", "hashed");
        json.writeNumberField("bits", model.bits());
        json.writeArrayFieldStart("interactions");
        for (Interaction interaction : encoder.interactions()) {
            json.writeString(interaction.toString());
        }
        json.writeEndArray();
        json.writeBooleanField("actionIds", encoder.actionIds());
        if (withWeights) {
            json.writeObjectFieldStart("weights");
            for (int i = 0; i < 1 << model.bits(); i++) {
                if (Float.floatToRawIntBits(model.weight(i)) != 0) {
                    json.writeNumberField(Integer.toString(i), model.weight(i));
                }
            }
            json.writeEndObject();
        }
    }

    private static void write(Training training, JsonGenerator json) throws IOException {
        json.writeStringField("objective", training.objective());
        write("lambda", training.lambda(), json);
        write("tau", training.tau(), json);
        json.writeNumberField("examples", training.examples());
        json.writeBooleanField("propensitiesEstimated", training.propensitiesEstimated());
        json.writeStringField("specDigest", training.specDigest());
        json.writeNumberField("specVersion", training.specVersion());
    }

    private static void write(Certificate certificate, JsonGenerator json) throws IOException {
        Certificate.Estimates estimates = certificate.estimates();
        json.writeObjectFieldStart("certificate");
        json.writeNumberField("n", certificate.n());
        json.writeNumberField("delta", certificate.delta());
        json.writeNumberField("effectiveSampleSize", certificate.effectiveSampleSize());
        json.writeNumberField("ips", estimates.ips());
        json.writeNumberField("truncatedIps", estimates.truncatedIps());
        json.writeNumberField("selfNormalized", estimates.selfNormalized());
        json.writeNumberField("logSmoothed", estimates.logSmoothed());
        json.writeNumberField("onPolicyMean", estimates.onPolicyMean());
        write("riskBound", certificate.riskBound(), json);
        write("logSmoothedLowerBound", certificate.logSmoothedLowerBound(), json);
        json.writeEndObject();
    }

    private static void write(float[] values, JsonGenerator json) throws IOException {
        json.writeStartArray();
        for (float value : values) {
            json.writeNumber(value);
        }
        json.writeEndArray();
    }

    private static void write(String field, OptionalDouble value, JsonGenerator json)
            throws IOException {
        if (value.isPresent()) {
            json.writeNumberField(field, value.getAsDouble());
        } else {
            json.writeNullField(field);
        }
    }

    /** Reads a snapshot with its weights. */
    public static PolicySnapshot read(byte[] utf8) throws InvalidSnapshotException {
        try {
            return JsonDocument.read(FACTORY, utf8, 0, utf8.length, SnapshotFields::read)
                    .snapshot();
        } catch (IllegalArgumentException e) {
            throw new InvalidSnapshotException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Reads the snapshot, with its weights, at whose start the document stands. */
    public static PolicySnapshot read(JsonDocument document) throws IOException {
        try {
            return SnapshotFields.read(document).snapshot();
        } catch (IllegalArgumentException e) {
            throw new InvalidSnapshotException(String.valueOf(e.getMessage()), e);
        }
    }
}
