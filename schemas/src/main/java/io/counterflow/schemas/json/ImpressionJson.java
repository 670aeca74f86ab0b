package io.counterflow.schemas.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.policy.Split;
import io.counterflow.core.text.DurationText;
import io.counterflow.core.text.JsonName;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.OptionalDouble;
import java.util.function.DoubleUnaryOperator;

/**
 * Impressions as JSON objects, as in the lines of a log file:
 *
 * <pre>{@code
 * {"eventId":"e-1","loop":"home","policyVersion":3,"time":"2026-01-01T00:00:00Z",
 *  "context":{"dense":[0.1,0.0,0.7]},"action":2,"propensity":0.31,"reward":1.0}
 * }</pre>
 *
 * <p>{@code context} and {@code action} are required. A line without an event id gets one from the
 * reader. The defaults are {@code "default"} for {@code loop}, 0 for {@code policyVersion} and the
 * epoch for {@code time}. Unknown fields are ignored, because logs may have other columns. Thread
 * safe.
 */
public final class ImpressionJson {

    private final JsonLimits limits;
    private final JsonFactory factory;

    public ImpressionJson(JsonLimits limits) {
        this.limits = limits;
        this.factory = JsonDocument.factory(limits);
    }

    /**
     * Reads one JSON object in UTF-8. If it is invalid, an {@link IllegalArgumentException} names
     * the field.
     *
     * @param unnamedEventId the event id if the object has none
     */
    public Impression read(byte[] bytes, int offset, int length, String unnamedEventId) {
        return read(bytes, offset, length, unnamedEventId, DoubleUnaryOperator.identity());
    }

    /**
     * Reads one JSON object whose rewards have another range than [0, 1].
     *
     * @param scale maps {@code reward} to [0, 1]
     */
    public Impression read(
            byte[] bytes,
            int offset,
            int length,
            String unnamedEventId,
            DoubleUnaryOperator scale) {
        return JsonDocument.read(
                limits,
                bytes,
                offset,
                length,
                document -> new ImpressionFields(limits, unnamedEventId, scale).read(document));
    }

    /** Reads one JSON object, which must have an event id. */
    public Impression read(String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        return read(bytes, 0, bytes.length, "");
    }

    /** The impression as one line of JSON, without a line feed. */
    public String write(Impression impression) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        try (JsonGenerator generator = generator(bytes)) {
            write(impression, generator);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** A generator for {@link #write(Impression, JsonGenerator)}. */
    public JsonGenerator generator(OutputStream out) throws IOException {
        return factory.createGenerator(out).setRootValueSeparator(null);
    }

    /**
     * Writes the impression as the generator's next value. Fields with default values are omitted.
     */
    public void write(Impression impression, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField(
                "eventId", JsonDocument.requireUnicode("eventId", impression.eventId()));
        json.writeStringField("loop", JsonDocument.requireUnicode("loop", impression.loop()));
        json.writeNumberField("policyVersion", impression.policyVersion());
        if (impression.specVersion() != 0) {
            json.writeNumberField("specVersion", impression.specVersion());
        }
        json.writeStringField("time", impression.time().toString());
        Context context = impression.context();
        ContextJson.write(context, json);
        write(impression.choice(), json);
        write(impression.rewardRule(), json);
        writeOptional("reward", impression.reward(), json);
        writeOptional("guardrailReward", impression.guardrailReward(), json);
        json.writeEndObject();
    }

    private static void write(Choice choice, JsonGenerator json) throws IOException {
        if (!choice.allowed().isAll()) {
            json.writeArrayFieldStart("excludedActions");
            for (int action : choice.allowed().excluded()) {
                json.writeNumber(action);
            }
            json.writeEndArray();
        }
        json.writeNumberField("action", choice.action());
        writeOptional("propensity", choice.propensity(), json);
        if (choice.propensityKind() != PropensityKind.EXACT) {
            json.writeStringField("propensityKind", JsonName.of(choice.propensityKind()));
        }
        if (!choice.distribution().isEmpty()) {
            json.writeArrayFieldStart("distribution");
            for (double probability : choice.distribution()) {
                json.writeNumber(probability);
            }
            json.writeEndArray();
        }
        if (choice.split().isPresent()) {
            Split split = choice.split().get();
            json.writeObjectFieldStart("split");
            json.writeNumberField("activeVersion", split.activeVersion());
            json.writeNumberField("candidateVersion", split.candidateVersion());
            json.writeNumberField("share", split.share());
            json.writeEndObject();
        }
        if (choice.holdout()) {
            json.writeBooleanField("holdout", true);
        }
        if (choice.policyAction().isPresent()) {
            json.writeNumberField("policyAction", choice.policyAction().getAsInt());
        }
    }

    private static void write(RewardRule rule, JsonGenerator json) throws IOException {
        if (!rule.attributionWindow().equals(Duration.ZERO)) {
            json.writeStringField(
                    "attributionWindow", DurationText.format(rule.attributionWindow()));
        }
        if (rule.defaultReward() != 0.0) {
            json.writeNumberField("defaultReward", rule.defaultReward());
        }
        if (rule.aggregation() != RewardAggregation.FIRST) {
            json.writeStringField("rewardAggregation", JsonName.of(rule.aggregation()));
        }
        if (rule.zero() != 0.0) {
            json.writeNumberField("rewardZero", rule.zero());
        }
        if (rule.deferred()) {
            json.writeBooleanField("deferred", true);
        }
        writeOptional("guardrailDefaultReward", rule.guardrailDefault(), json);
    }

    private static void writeOptional(String field, OptionalDouble value, JsonGenerator json)
            throws IOException {
        if (value.isPresent()) {
            json.writeNumberField(field, value.getAsDouble());
        }
    }
}
