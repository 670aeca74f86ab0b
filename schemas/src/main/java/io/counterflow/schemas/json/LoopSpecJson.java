package io.counterflow.schemas.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.core.log.RewardRule;
import io.counterflow.schemas.DecisionRule;
import io.counterflow.schemas.LearningRule;
import io.counterflow.schemas.LoopSpec;
import io.counterflow.schemas.RolloutRule;
import io.counterflow.schemas.snapshot.SnapshotJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.OptionalDouble;

/**
 * Loop specs as JSON objects:
 *
 * <pre>{@code
 * {"actions":["a","b"],"features":784,"objective":"trust-lpr","lambda":1e-6,
 *  "attributionWindow":"30s","snapshotExamples":10000,"rolloutMode":"gated"}
 *
 * {"bits":18,"interactions":["user:topic"],"actionIds":true,
 *  "actions":[{"id":"a","features":{"topic":"sport"}}]}
 * }</pre>
 *
 * <p>{@code features} with {@code actions}, or {@code bits}, are required. Without {@code
 * interactions} everything is crossed with everything, as in a snapshot's JSON; all else has the
 * schema's default. {@code startingPolicy} is a snapshot's JSON object with its weights. Unknown
 * fields are refused. What {@link #write} gives can be read again. Safe for use by several threads.
 */
public final class LoopSpecJson {

    /** A spec's features lie deeper in it than in the record that keeps them as a text. */
    private static final int DEPTH_AROUND_FEATURES = 8;

    private final JsonLimits limits;
    private final JsonFactory factory;

    public LoopSpecJson(JsonLimits limits) {
        this.limits = limits;
        this.factory =
                JsonDocument.factory(
                        new JsonLimits(
                                limits.maxDepth() + DEPTH_AROUND_FEATURES,
                                limits.maxStringLength(),
                                limits.maxFeatures(),
                                limits.maxActions()));
    }

    /**
     * Reads one JSON object in UTF-8. What is wrong with it is an {@link IllegalArgumentException}
     * whose message names the field.
     *
     * @param loop the loop that the spec is for; a {@code loop} within must be the same
     * @param version the version that the spec gets; one within is passed over
     * @param time when it was asked for; a time within is passed over
     */
    public LoopSpec read(byte[] utf8, String loop, long version, Instant time) {
        return JsonDocument.read(
                factory,
                utf8,
                0,
                utf8.length,
                document -> new LoopSpecFields(limits, loop, version, time).read(document));
    }

    /** Reads a text; arguments as for bytes. */
    public LoopSpec read(String json, String loop, long version, Instant time) {
        return read(json.getBytes(StandardCharsets.UTF_8), loop, version, time);
    }

    /** The spec as one line of JSON, with all its fields. */
    public String write(LoopSpec spec) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(1024);
        try (JsonGenerator json = factory.createGenerator(bytes)) {
            write(spec, json);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Writes the spec as the generator's next value. */
    public void write(LoopSpec spec, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("loop", spec.loop());
        json.writeNumberField("version", spec.version());
        json.writeStringField("time", spec.time().toString());
        LoopShapeJson.write(spec.shape(), json);
        write("normBound", spec.normBound(), json);
        write(spec.decisions(), json);
        write(spec.learning(), json);
        RewardRule rewards = spec.rewardRule();
        json.writeStringField("attributionWindow", rewards.attributionWindow().toString());
        json.writeNumberField("defaultReward", rewards.defaultReward());
        json.writeStringField("rewardAggregation", JsonNames.of(rewards.aggregation()));
        RolloutRule rollout = spec.rollout();
        json.writeStringField("rolloutMode", JsonNames.of(rollout.mode()));
        json.writeNumberField("canaryShare", rollout.canaryShare());
        json.writeNumberField("candidateExamples", rollout.candidateExamples());
        json.writeBooleanField("automaticRollback", rollout.automaticRollback());
        json.writeFieldName("startingPolicy");
        if (spec.startingPolicy().isPresent()) {
            SnapshotJson.write(spec.startingPolicy().get(), true, json);
        } else {
            json.writeNull();
        }
        json.writeEndObject();
    }

    private static void write(DecisionRule rule, JsonGenerator json) throws IOException {
        json.writeStringField("policy", JsonNames.of(rule.policy()));
        json.writeStringField("propensityKind", JsonNames.of(rule.propensityKind()));
        json.writeNumberField("propensityDraws", rule.propensityDraws());
        write("variance", rule.variance(), json);
        json.writeNumberField("inverseTemperature", rule.inverseTemperature());
        json.writeNumberField("explorationFloor", rule.explorationFloor());
        json.writeNumberField("distributionLimit", rule.distributionLimit());
        json.writeStringField("unloggedDecision", JsonNames.of(rule.unloggedDecision()));
    }

    private static void write(LearningRule rule, JsonGenerator json) throws IOException {
        LearningRule.Loss loss = rule.objective();
        json.writeStringField("objective", loss.kind().label());
        json.writeNumberField("lambda", loss.lambda());
        json.writeNumberField("varianceLambda", loss.varianceLambda());
        json.writeNumberField("tau", loss.tau());
        write("smoothing", loss.smoothing(), json);
        json.writeNumberField("delta", rule.delta());
        json.writeNumberField("priorVariance", rule.priorVariance());
        json.writeNumberField("learningRate", rule.optimizer().learningRate());
        json.writeNumberField("adaGradSmoothing", rule.optimizer().adaGradSmoothing());
        json.writeNumberField("batchSize", rule.batches().batchSize());
        json.writeNumberField("replay", rule.batches().replay());
        json.writeNumberField("bufferLimit", rule.batches().bufferLimit());
        json.writeNumberField("seed", rule.batches().seed());
        json.writeNumberField("snapshotExamples", rule.snapshots().snapshotExamples());
        json.writeStringField("snapshotInterval", rule.snapshots().snapshotInterval().toString());
    }

    private static void write(String field, OptionalDouble value, JsonGenerator json)
            throws IOException {
        if (value.isPresent()) {
            json.writeNumberField(field, value.getAsDouble());
        } else {
            json.writeNullField(field);
        }
    }
}
