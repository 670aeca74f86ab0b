package io.counterflow.serving.reward;

import io.counterflow.core.log.RewardMetric;
import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.schemas.json.JsonNames;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.JsonFields;
import io.counterflow.serving.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** Calls that send rewards and activations of events. */
public final class FeedbackEndpoints {

    private final FeedbackService service;

    public FeedbackEndpoints(FeedbackService service) {
        this.service = service;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.post(
                        "/v1/loops/{loop}/events/{eventId}/reward", Scope.REWARD, this::reward),
                Endpoint.post(
                        "/v1/loops/{loop}/events/{eventId}/activate",
                        Scope.REWARD,
                        this::activate));
    }

    private Future<Reply> reward(Call call) {
        return service.reward(call.path("loop"), call.path("eventId"), read(call.body()))
                .map(rewardId -> Reply.json(202, Map.of("rewardId", rewardId)));
    }

    private Future<Reply> activate(Call call) {
        return service.activate(call.path("loop"), call.path("eventId"))
                .map(done -> Reply.empty(202));
    }

    private static final class Fields {
        private OptionalDouble value = OptionalDouble.empty();
        private Optional<String> rewardId = Optional.empty();
        private Optional<Instant> time = Optional.empty();
        private RewardMetric metric = RewardMetric.REWARD;
    }

    /** Reads {@code {value, rewardId?, time?, metric?}}. */
    private static FeedbackService.Reward read(Buffer body) {
        Fields fields = new Fields();
        JsonFields.read(
                body,
                (name, json) -> {
                    switch (name) {
                        case "value" -> fields.value = OptionalDouble.of(json.number(name));
                        case "rewardId" -> fields.rewardId = Optional.of(json.text(name));
                        case "time" -> fields.time = Optional.of(time(json.text(name)));
                        case "metric" ->
                                fields.metric =
                                        JsonNames.constant(
                                                RewardMetric.class, name, json.text(name));
                        default -> throw JsonFields.unknown(name);
                    }
                });
        return new FeedbackService.Reward(
                fields.value.orElseThrow(() -> new InvalidJsonException("value", "must be given")),
                fields.rewardId,
                fields.time,
                fields.metric);
    }

    private static Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new InvalidJsonException("time", "must be ISO-8601 like 2026-01-01T00:00:00Z");
        }
    }
}
