package io.counterflow.schemas.snapshot;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.Interaction;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.json.JsonBinding;
import io.counterflow.schemas.json.JsonDocument;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.CertificateRecord;
import io.counterflow.schemas.record.DenseWeights;
import io.counterflow.schemas.record.HashedWeights;
import io.counterflow.schemas.record.LearnedFromRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.snapshot.SnapshotDocument.CertificateDocument;
import io.counterflow.schemas.snapshot.SnapshotDocument.LearnedFromDocument;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots as JSON, for people and other programs:
 *
 * <pre>{@code
 * {"loop":"home","version":4,"parentVersion":3,…,"model":"dense","actions":2,"features":3,
 *  "weights":[[0.1,0.0,0.7],[0.0,0.2,0.0]],"biases":[0.0,0.1],…}
 * }</pre>
 *
 * <p>A hashed model has {@code "bits"}, {@code "interactions"}, {@code "actionIds"} and {@code
 * "weights":{index: value}}. A snapshot that was written with its weights is read back bit by bit.
 * Unknown fields are refused. {@code checksum} is verified if it is present; remove it from a file
 * that you edit by hand.
 */
public final class SnapshotJson {

    private static final JsonLimits LIMITS = new JsonLimits(16, 65_536, 1, 1);

    private static final JsonMapper MAPPER = JsonBinding.mapper(JsonDocument.factory(LIMITS));

    private SnapshotJson() {}

    /** The snapshot as one line of JSON. */
    public static String toJson(PolicySnapshot snapshot, boolean withWeights) {
        try {
            return MAPPER.writeValueAsString(document(snapshot, withWeights));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a snapshot cannot be written as JSON", e);
        }
    }

    /** Writes the snapshot as the generator's next value. */
    public static void write(PolicySnapshot snapshot, boolean withWeights, JsonGenerator json)
            throws IOException {
        MAPPER.writeValue(json, document(snapshot, withWeights));
    }

    /** Writes all but the weights of a record as the generator's next value. */
    public static void writeDescription(PolicySnapshotRecord record, JsonGenerator json)
            throws IOException {
        MAPPER.writeValue(json, describe(record));
    }

    /** Reads a snapshot with its weights. */
    public static PolicySnapshot read(byte[] utf8) throws InvalidSnapshotException {
        try {
            return snapshot(JsonDocument.read(LIMITS, utf8, 0, utf8.length, SnapshotJson::bind));
        } catch (IllegalArgumentException e) {
            throw new InvalidSnapshotException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Reads a snapshot with its weights from a document that is at the start of its object.
     *
     * @param maxParameters limit on the parameters of the model, which a few bytes can declare
     */
    public static PolicySnapshot read(JsonDocument document, long maxParameters)
            throws IOException {
        try {
            SnapshotDocument bound = bind(document);
            if (bound.bits != null) {
                ModelConversion.requireBits(bound.bits);
                Require.that(
                        1L << bound.bits <= maxParameters,
                        "bits must give at most %d parameters, got %d bits",
                        maxParameters,
                        bound.bits);
            }
            return snapshot(bound);
        } catch (IllegalArgumentException e) {
            throw new InvalidSnapshotException(String.valueOf(e.getMessage()), e);
        }
    }

    private static SnapshotDocument bind(JsonDocument document) throws IOException {
        return document.bind(MAPPER, SnapshotDocument.class);
    }

    private static SnapshotDocument document(PolicySnapshot snapshot, boolean withWeights) {
        SnapshotDocument document = describe(SnapshotConversion.toRecord(snapshot));
        if (withWeights) {
            if (snapshot.model() instanceof HashedModel hashed) {
                document.weights = weights(hashed);
            } else {
                DenseModel dense = (DenseModel) snapshot.model();
                float[][] rows = new float[dense.actions()][];
                for (int action = 0; action < rows.length; action++) {
                    rows[action] = dense.weights(action);
                }
                document.weights = rows;
                document.biases = dense.biases();
            }
        }
        return document;
    }

    private static Map<Integer, Float> weights(HashedModel model) {
        Map<Integer, Float> weights = new TreeMap<>();
        if (!model.isZero()) {
            for (int i = 0; i < 1 << model.bits(); i++) {
                if (Float.floatToRawIntBits(model.weight(i)) != 0) { // by its bits: -0.0 is kept
                    weights.put(i, model.weight(i));
                }
            }
        }
        return weights;
    }

    /** All but the weights. */
    private static SnapshotDocument describe(PolicySnapshotRecord record) {
        SnapshotDocument document = new SnapshotDocument();
        document.loop = record.getLoop();
        document.version = record.getVersion();
        document.parentVersion = record.getParentVersion();
        document.createdAt = record.getCreatedAt().toString();
        if (record.getModel() instanceof HashedWeights hashed) {
            document.model = "hashed";
            document.bits = hashed.getBits();
            document.interactions = hashed.getInteractions();
            document.actionIds = hashed.getActionIds();
        } else if (record.getModel() instanceof DenseWeights dense) {
            document.model = "dense";
            document.actions = dense.getActions();
            document.features = dense.getFeatures();
        }
        document.policy = record.getPolicy();
        document.propensityKind = record.getPropensityKind();
        document.propensityDraws = Math.toIntExact(record.getPropensityDraws());
        document.inverseTemperature = record.getInverseTemperature();
        document.explorationFloor = record.getExplorationFloor();
        document.variance = record.getVariance();
        document.normBound = record.getNormBound();
        document.objective = record.getObjective();
        document.lambda = record.getLambda();
        document.tau = record.getTau();
        document.examples = record.getExamples();
        document.propensitiesEstimated = record.getPropensitiesEstimated();
        document.specDigest = record.getSpecDigest();
        document.specVersion = record.getSpecVersion();
        document.certificate = document(record.getCertificate());
        document.checksum = record.getChecksum();
        return document;
    }

    private static @Nullable CertificateDocument document(@Nullable CertificateRecord record) {
        if (record == null) {
            return null;
        }
        CertificateDocument document = new CertificateDocument();
        document.n = record.getN();
        document.delta = record.getDelta();
        document.effectiveSampleSize = record.getEffectiveSampleSize();
        document.ips = record.getIps();
        document.truncatedIps = record.getTruncatedIps();
        document.selfNormalized = record.getSelfNormalized();
        document.logSmoothed = record.getLogSmoothed();
        document.onPolicyMean = record.getOnPolicyMean();
        document.learnedFrom = document(record.getLearnedFrom());
        return document;
    }

    private static @Nullable LearnedFromDocument document(@Nullable LearnedFromRecord record) {
        if (record == null) {
            return null;
        }
        LearnedFromDocument document = new LearnedFromDocument();
        document.valueLowerBound = record.getValueLowerBound();
        document.smoothing = record.getSmoothing();
        document.variance = record.getVariance();
        document.priorVariance = record.getPriorVariance();
        document.divergence = record.getDivergence();
        return document;
    }

    private static PolicySnapshot snapshot(SnapshotDocument document)
            throws InvalidSnapshotException {
        PolicySnapshotRecord record = new PolicySnapshotRecord();
        record.setLoop(JsonDocument.requireUnicode("loop", document.loop));
        record.setVersion(document.version);
        record.setParentVersion(document.parentVersion);
        record.setCreatedAt(time(document.createdAt));
        record.setPolicy(document.policy);
        record.setPropensityKind(document.propensityKind);
        record.setPropensityDraws(document.propensityDraws);
        record.setInverseTemperature(document.inverseTemperature);
        record.setExplorationFloor(document.explorationFloor);
        record.setVariance(document.variance);
        record.setNormBound(document.normBound);
        record.setObjective(JsonDocument.requireUnicode("objective", document.objective));
        record.setLambda(document.lambda);
        record.setTau(document.tau);
        record.setExamples(document.examples);
        record.setPropensitiesEstimated(document.propensitiesEstimated);
        record.setSpecDigest(JsonDocument.requireUnicode("specDigest", document.specDigest));
        record.setSpecVersion(document.specVersion);
        record.setCertificate(certificate(document.certificate));
        PolicySnapshot snapshot =
                SnapshotConversion.snapshot(record, model(document), encoder(document));
        if (!document.checksum.isEmpty()) {
            String expected = SnapshotConversion.toRecord(snapshot).getChecksum();
            if (!expected.equals(document.checksum)) {
                throw new InvalidSnapshotException(
                        "checksum must be %s, got another; remove it from an edited file"
                                .formatted(expected));
            }
        }
        return snapshot;
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "createdAt must be ISO-8601 like 2026-01-01T00:00:00Z, got another text", e);
        }
    }

    private static @Nullable CertificateRecord certificate(@Nullable CertificateDocument document) {
        if (document == null) {
            return null;
        }
        return new CertificateRecord(
                document.n,
                required("delta", document.delta),
                required("effectiveSampleSize", document.effectiveSampleSize),
                required("ips", document.ips),
                required("truncatedIps", document.truncatedIps),
                required("selfNormalized", document.selfNormalized),
                required("logSmoothed", document.logSmoothed),
                required("onPolicyMean", document.onPolicyMean),
                learnedFrom(document.learnedFrom));
    }

    private static @Nullable LearnedFromRecord learnedFrom(@Nullable LearnedFromDocument document) {
        if (document == null) {
            return null;
        }
        return new LearnedFromRecord(
                required("learnedFrom.valueLowerBound", document.valueLowerBound),
                required("learnedFrom.smoothing", document.smoothing),
                required("learnedFrom.variance", document.variance),
                required("learnedFrom.priorVariance", document.priorVariance),
                required("learnedFrom.divergence", document.divergence));
    }

    private static double required(String name, @Nullable Double value) {
        if (value == null) {
            throw new IllegalArgumentException("certificate." + name + " must be given");
        }
        return value;
    }

    private static LinearModel model(SnapshotDocument document) {
        return switch (document.model) {
            case "dense" -> denseModel(document);
            case "hashed" -> hashedModel(document);
            case "" -> throw new IllegalArgumentException("model must be given, dense or hashed");
            default ->
                    throw new IllegalArgumentException(
                            "model must be dense or hashed, got another");
        };
    }

    private static LinearModel denseModel(SnapshotDocument document) {
        if (!(document.weights instanceof float[][] rows) || document.biases == null) {
            throw new IllegalArgumentException(
                    "weights (an array of arrays) and biases must be given with a dense model");
        }
        DenseModel model = new DenseModel(rows, document.biases);
        requireShape("actions", document.actions, model.actions());
        requireShape("features", document.features, model.dimension());
        return model;
    }

    private static void requireShape(String field, @Nullable Integer declared, int actual) {
        if (declared != null && declared != actual) {
            throw new IllegalArgumentException(
                    "%s must be %d as in weights, got %d".formatted(field, actual, declared));
        }
    }

    @SuppressWarnings("unchecked") // the only map that the deserializer creates
    private static LinearModel hashedModel(SnapshotDocument document) {
        if (!(document.weights instanceof Map)) {
            throw new IllegalArgumentException(
                    "weights (an object from index to value) must be given with a hashed model");
        }
        Map<Integer, Float> weights = (Map<Integer, Float>) document.weights;
        int[] indices = new int[weights.size()];
        float[] values = new float[weights.size()];
        int n = 0;
        for (Map.Entry<Integer, Float> entry : weights.entrySet()) { // ascending
            indices[n] = entry.getKey();
            values[n++] = entry.getValue();
        }
        return ModelConversion.hashedModel(bits(document), indices, values);
    }

    private static Optional<EncoderSpec> encoder(SnapshotDocument document) {
        if (!document.model.equals("hashed")) {
            return Optional.empty();
        }
        return Optional.of(
                new EncoderSpec(
                        bits(document),
                        document.interactions == null
                                ? EncoderSpec.ALL_INTERACTIONS
                                : document.interactions.stream()
                                        .map(it -> JsonDocument.requireUnicode("interactions", it))
                                        .map(Interaction::parse)
                                        .toList(),
                        document.actionIds == null || document.actionIds));
    }

    private static int bits(SnapshotDocument document) {
        return document.bits == null ? 0 : document.bits;
    }
}
