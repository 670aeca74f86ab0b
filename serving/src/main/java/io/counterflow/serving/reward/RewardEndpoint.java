package io.counterflow.serving.reward;

import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.JsonFields;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.Route;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.OptionalDouble;

/** {@code POST /v1/loops/{loop}/events/{eventId}/reward}: what came of a decision. */
public final class RewardEndpoint implements Endpoint {

    private static final Route ROUTE =
            Route.post("/v1/loops/{loop}/events/{eventId}/reward", Scope.REWARD);

    private final FeedbackService service;

    public RewardEndpoint(FeedbackService service) {
        this.service = service;
    }

    @Override
    public Route route() {
        return ROUTE;
    }

    @Override
    public Future<Reply> handle(Call call) {
        return service.reward(call.path("loop"), call.path("eventId"), read(call.body()))
                .map(RewardEndpoint::accepted);
    }

    private static Reply accepted(String rewardId) {
        return Reply.json(
                202,
                json -> {
                    json.writeStartObject();
                    json.writeStringField("rewardId", rewardId);
                    json.writeEndObject();
                });
    }

    /** Reads {@code {value, rewardId?, time?}}. */
    private static FeedbackService.Reward read(Buffer body) {
        Fields fields = new Fields();
        JsonFields.read(
                body,
                (name, json) -> {
                    switch (name) {
                        case "value" -> fields.value = OptionalDouble.of(json.number(name));
                        case "rewardId" -> fields.rewardId = Optional.of(json.text(name));
                        case "time" -> fields.time = Optional.of(time(json.text(name)));
                        default -> {
                            return false;
                        }
                    }
                    return true;
                });
        return new FeedbackService.Reward(
                fields.value.orElseThrow(() -> new InvalidJsonException("value", "must be given")),
                fields.rewardId,
                fields.time);
    }

    private static final class Fields {
        private OptionalDouble value = OptionalDouble.empty();
        private Optional<String> rewardId = Optional.empty();
        private Optional<Instant> time = Optional.empty();
    }

    private static Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new InvalidJsonException("time", "must be ISO-8601 like 2026-01-01T00:00:00Z");
        }
    }
}
