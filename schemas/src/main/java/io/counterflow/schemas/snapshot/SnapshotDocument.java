package io.counterflow.schemas.snapshot;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.KeyDeserializer;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.json.InvalidJsonException;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The JSON object of a snapshot, as Jackson binds it: one Java field for each JSON field, in the
 * order in which they are written. A field that is absent or null keeps its default.
 */
final class SnapshotDocument {

    String loop = "default";
    long version;
    @Nullable Long parentVersion;
    String createdAt = Instant.EPOCH.toString();

    String model = "";

    @JsonInclude(Include.NON_NULL)
    @Nullable Integer actions;

    @JsonInclude(Include.NON_NULL)
    @Nullable Integer features;

    @JsonInclude(Include.NON_NULL)
    @Nullable Integer bits;

    @JsonInclude(Include.NON_NULL)
    @Nullable List<String> interactions;

    @JsonInclude(Include.NON_NULL)
    @Nullable Boolean actionIds;

    /** An array of rows for a dense model, a map from index to value for a hashed one. */
    @JsonInclude(Include.NON_NULL)
    @JsonDeserialize(using = WeightsDeserializer.class)
    @Nullable Object weights;

    @JsonInclude(Include.NON_NULL)
    float @Nullable [] biases;

    String policy = JsonName.of(DecisionRule.PLAIN.kind());
    String propensityKind = JsonName.of(DecisionRule.PLAIN.propensityKind());
    int propensityDraws = DecisionRule.DEFAULT_DRAWS;
    double inverseTemperature = DecisionRule.PLAIN.inverseTemperature();
    double explorationFloor = DecisionRule.PLAIN.explorationFloor();
    @Nullable Double variance;
    @Nullable Double normBound;

    String objective = "";
    @Nullable Double lambda;
    @Nullable Double tau;
    long examples;
    boolean propensitiesEstimated;
    String specDigest = "";
    long specVersion;

    @JsonInclude(Include.NON_NULL)
    @Nullable CertificateDocument certificate;

    String checksum = "";

    /** The JSON object of a certificate. */
    static final class CertificateDocument {
        long n;
        @Nullable Double delta;
        @Nullable Double effectiveSampleSize;
        @Nullable Double ips;
        @Nullable Double truncatedIps;
        @Nullable Double selfNormalized;
        @Nullable Double logSmoothed;
        @Nullable Double onPolicyMean;

        @JsonInclude(Include.NON_NULL)
        @Nullable LearnedFromDocument learnedFrom;
    }

    /** The JSON object of a bound from the examples that a policy was learned from. */
    static final class LearnedFromDocument {
        @Nullable Double valueLowerBound;
        @Nullable Double smoothing;
        @Nullable Double variance;
        @Nullable Double priorVariance;
        @Nullable Double divergence;
    }

    private static final class WeightsDeserializer extends JsonDeserializer<Object> {

        @Override
        public Object deserialize(JsonParser parser, DeserializationContext context)
                throws IOException {
            if (!parser.hasToken(JsonToken.START_OBJECT)) {
                return context.readValue(parser, float[][].class);
            }
            KeyDeserializer indices =
                    context.findKeyDeserializer(context.constructType(Integer.class), null);
            Map<Integer, Float> weights = new TreeMap<>();
            for (String name = parser.nextFieldName();
                    name != null;
                    name = parser.nextFieldName()) {
                Integer index = (Integer) indices.deserializeKey(name, context);
                parser.nextToken();
                Float value = context.readValue(parser, Float.class);
                if (value == null) {
                    throw new InvalidJsonException("weights", "must be numbers, got null");
                }
                if (weights.put(index, value) != null) { // such as "1" and "01"
                    throw new InvalidJsonException(
                            "weights", "must have each index once, got " + index + " again");
                }
            }
            return weights;
        }
    }
}
