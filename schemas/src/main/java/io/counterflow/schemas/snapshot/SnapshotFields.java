package io.counterflow.schemas.snapshot;

import com.fasterxml.jackson.core.JsonToken;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.snapshot.Certificate;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.json.JsonDocument;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** The fields of one snapshot's JSON object, collected in any order. */
final class SnapshotFields {

    private String loop = "default";
    private long version;
    private OptionalLong parentVersion = OptionalLong.empty();
    private Instant createdAt = Instant.EPOCH;
    private final ModelFields model = new ModelFields();
    private final Map<String, Double> numbers = new HashMap<>();
    private String policy = JsonName.of(DecisionRule.PLAIN.kind());
    private String propensityKind = JsonName.of(DecisionRule.PLAIN.propensityKind());
    private long propensityDraws = DecisionRule.DEFAULT_DRAWS;
    private double inverseTemperature = DecisionRule.PLAIN.inverseTemperature();
    private double explorationFloor = DecisionRule.PLAIN.explorationFloor();
    private String objective = "";
    private long examples;
    private boolean propensitiesEstimated;
    private String specDigest = "";
    private long specVersion;
    private Optional<Certificate> certificate = Optional.empty();
    private String checksum = "";

    private SnapshotFields() {}

    static SnapshotFields read(JsonDocument document) throws IOException {
        SnapshotFields fields = new SnapshotFields();
        for (Optional<String> name = document.nextField();
                name.isPresent();
                name = document.nextField()) {
            if (document.nextToken() != JsonToken.VALUE_NULL) { // null is the same as absent
                fields.readField(name.get(), document);
            }
        }
        return fields;
    }

    private void readField(String name, JsonDocument json) throws IOException {
        switch (name) {
            case "loop" -> loop = json.text(name);
            case "version" -> version = json.integer(name);
            case "parentVersion" -> parentVersion = OptionalLong.of(json.integer(name));
            case "createdAt" -> createdAt = time(json.text(name));
            case "variance", "normBound", "lambda", "tau" -> numbers.put(name, json.number(name));
            case "policy" -> policy = json.text(name);
            case "propensityKind" -> propensityKind = json.text(name);
            case "propensityDraws" -> propensityDraws = json.integer(name);
            case "inverseTemperature" -> inverseTemperature = json.number(name);
            case "explorationFloor" -> explorationFloor = json.number(name);
            case "objective" -> objective = json.text(name);
            case "examples" -> examples = json.integer(name);
            case "propensitiesEstimated" -> propensitiesEstimated = json.flag(name);
            case "specDigest" -> specDigest = json.text(name);
            case "specVersion" -> specVersion = json.integer(name);
            case "certificate" -> certificate = Optional.of(certificate(json));
            case "checksum" -> checksum = json.text(name);
            default -> {
                if (!model.readField(name, json)) {
                    json.skip();
                }
            }
        }
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "createdAt must be ISO-8601 like 2026-01-01T00:00:00Z, got another text", e);
        }
    }

    private static Certificate certificate(JsonDocument json) throws IOException {
        json.require(JsonToken.START_OBJECT, "certificate", "an object");
        Map<String, Double> values = new HashMap<>();
        long n = 0;
        for (Optional<String> name = json.nextField(); name.isPresent(); name = json.nextField()) {
            if (json.nextToken() == JsonToken.VALUE_NULL) {
                continue;
            }
            String field = "certificate." + name.get();
            switch (name.get()) {
                case "n" -> n = json.integer(field);
                case "delta",
                        "effectiveSampleSize",
                        "ips",
                        "truncatedIps",
                        "selfNormalized",
                        "logSmoothed",
                        "onPolicyMean",
                        "riskBound",
                        "logSmoothedLowerBound" ->
                        values.put(name.get(), json.number(field));
                default -> json.skip();
            }
        }
        return new Certificate(
                new Certificate.Estimates(
                        required(values, "ips"),
                        required(values, "truncatedIps"),
                        required(values, "selfNormalized"),
                        required(values, "logSmoothed"),
                        required(values, "onPolicyMean")),
                optional(values, "riskBound"),
                optional(values, "logSmoothedLowerBound"),
                required(values, "delta"),
                n,
                required(values, "effectiveSampleSize"));
    }

    private static double required(Map<String, Double> values, String name) {
        Double value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("certificate." + name + " must be given");
        }
        return value;
    }

    private static OptionalDouble optional(Map<String, Double> values, String name) {
        Double value = values.get(name);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    /** The snapshot, verified where a checksum was given. */
    PolicySnapshot snapshot() throws InvalidSnapshotException {
        PolicySnapshot snapshot =
                new PolicySnapshot(
                        loop,
                        version,
                        parentVersion,
                        createdAt,
                        model.model(),
                        model.encoder(),
                        SnapshotConversion.rule(
                                policy,
                                propensityKind,
                                propensityDraws,
                                inverseTemperature,
                                explorationFloor,
                                optional(numbers, "variance")),
                        optional(numbers, "variance"),
                        optional(numbers, "normBound"),
                        new Training(
                                objective,
                                optional(numbers, "lambda"),
                                optional(numbers, "tau"),
                                examples,
                                propensitiesEstimated,
                                specDigest,
                                specVersion),
                        certificate);
        if (!checksum.isEmpty()) {
            String expected = SnapshotConversion.toRecord(snapshot).getChecksum();
            if (!expected.equals(checksum)) {
                throw new InvalidSnapshotException(
                        "checksum must be %s, got another; leave it out of an edited file"
                                .formatted(expected));
            }
        }
        return snapshot;
    }
}
