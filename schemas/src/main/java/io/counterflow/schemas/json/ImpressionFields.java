package io.counterflow.schemas.json;

import com.fasterxml.jackson.core.JsonToken;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.policy.Split;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.DoubleUnaryOperator;

/** The fields of one impression's JSON object, collected in any order. */
final class ImpressionFields {

    private final JsonLimits limits;
    private final DoubleUnaryOperator scale;
    private final ContextJson context;
    private final Set<String> seen = new HashSet<>();

    private String eventId;
    private String loop = "default";
    private long policyVersion;
    private long specVersion;
    private Instant time = Instant.EPOCH;
    private OptionalInt action = OptionalInt.empty();
    private OptionalDouble propensity = OptionalDouble.empty();
    private PropensityKind propensityKind = PropensityKind.EXACT;
    private List<Double> distribution = List.of();
    private AllowedActions allowed = AllowedActions.ALL;
    private Optional<Split> split = Optional.empty();
    private boolean holdout;
    private OptionalInt policyAction = OptionalInt.empty();
    private Duration attributionWindow = Duration.ZERO;
    private double defaultReward;
    private double rewardZero;
    private RewardAggregation rewardAggregation = RewardAggregation.FIRST;
    private boolean deferred;
    private OptionalDouble guardrailDefault = OptionalDouble.empty();
    private OptionalDouble reward = OptionalDouble.empty();
    private OptionalDouble guardrailReward = OptionalDouble.empty();

    /**
     * @param scale maps {@code reward} to [0, 1]
     */
    ImpressionFields(JsonLimits limits, String unnamedEventId, DoubleUnaryOperator scale) {
        this.limits = limits;
        this.scale = scale;
        this.context = new ContextJson(limits);
        this.eventId = unnamedEventId;
    }

    Impression read(JsonDocument document) throws IOException {
        for (String name = document.nextField(); name != null; name = document.nextField()) {
            if (document.nextToken() != JsonToken.VALUE_NULL) { // null is the same as absent
                readField(name, document);
            }
        }
        if (action.isEmpty()) {
            throw new InvalidJsonException("action", "must be given");
        }
        return new Impression(
                eventId,
                loop,
                policyVersion,
                specVersion,
                time,
                context.context(),
                new Choice(
                        action.getAsInt(),
                        propensity,
                        propensityKind,
                        distribution,
                        allowed,
                        split,
                        holdout,
                        policyAction),
                new RewardRule(
                        attributionWindow,
                        defaultReward,
                        rewardAggregation,
                        deferred,
                        guardrailDefault,
                        rewardZero),
                reward,
                guardrailReward);
    }

    private void readField(String name, JsonDocument json) throws IOException {
        switch (name) {
            case "eventId" -> eventId = json.text(name);
            case "loop" -> loop = json.text(name);
            case "policyVersion" -> policyVersion = json.integer(name);
            case "specVersion" -> specVersion = json.integer(name);
            case "time" -> time = time(json.text(name));
            case "context" -> context.readContext(json);
            case "actions" -> context.readActions(json);
            case "excludedActions" -> allowed = AllowedActions.allBut(indices(name, json));
            case "action" -> action = OptionalInt.of(json.index(name));
            case "propensity" -> propensity = OptionalDouble.of(json.number(name));
            case "propensityKind" ->
                    propensityKind =
                            JsonNames.constant(PropensityKind.class, name, json.text(name));
            case "distribution" ->
                    distribution =
                            json.list(
                                    name,
                                    "an array of numbers",
                                    limits.maxActions(),
                                    () -> json.number(""));
            case "split" -> split = Optional.of(split(name, json));
            case "holdout" -> holdout = json.flag(name);
            case "policyAction" -> policyAction = OptionalInt.of(json.index(name));
            case "attributionWindow" ->
                    attributionWindow = JsonDocument.duration(json.text(name), name);
            case "defaultReward" -> defaultReward = json.number(name);
            case "rewardZero" -> rewardZero = json.number(name);
            case "rewardAggregation" ->
                    rewardAggregation =
                            JsonNames.constant(RewardAggregation.class, name, json.text(name));
            case "deferred" -> deferred = json.flag(name);
            case "guardrailDefaultReward" ->
                    guardrailDefault = OptionalDouble.of(json.number(name));
            case "guardrailReward" -> guardrailReward = OptionalDouble.of(json.number(name));
            case "reward" -> reward = OptionalDouble.of(scale.applyAsDouble(json.number(name)));
            default -> {
                json.skip();
                return;
            }
        }
        if (!seen.add(name)) {
            throw new InvalidJsonException(name, "must be given once, got it again");
        }
    }

    private static Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new InvalidJsonException(
                    "time",
                    "must be ISO-8601 like 2026-01-01T00:00:00Z, got \"%s\""
                            .formatted(text.substring(0, Math.min(40, text.length()))));
        }
    }

    private static Split split(String field, JsonDocument json) throws IOException {
        json.require(JsonToken.START_OBJECT, field, "an object");
        OptionalLong active = OptionalLong.empty();
        OptionalLong candidate = OptionalLong.empty();
        OptionalDouble share = OptionalDouble.empty();
        for (String name = json.nextField(); name != null; name = json.nextField()) {
            String nested = field + "." + name;
            json.nextToken();
            switch (name) {
                case "activeVersion" -> active = OptionalLong.of(json.integer(nested));
                case "candidateVersion" -> candidate = OptionalLong.of(json.integer(nested));
                case "share" -> share = OptionalDouble.of(json.number(nested));
                default -> json.skip();
            }
        }
        if (active.isEmpty() || candidate.isEmpty() || share.isEmpty()) {
            throw new InvalidJsonException(
                    field, "must have activeVersion, candidateVersion and share");
        }
        return new Split(active.getAsLong(), candidate.getAsLong(), share.getAsDouble());
    }

    private int[] indices(String field, JsonDocument json) throws IOException {
        return json
                .list(field, "an array of whole numbers", limits.maxActions(), () -> json.index(""))
                .stream()
                .mapToInt(Integer::intValue)
                .toArray();
    }
}
