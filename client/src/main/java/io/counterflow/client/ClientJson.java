package io.counterflow.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.client.rank.Ranking;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.schemas.json.ContextJson;
import io.counterflow.schemas.json.JsonNames;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** Bodies of requests, and what answers say. */
final class ClientJson {

    private static final JsonFactory FACTORY = new JsonFactory();
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private ClientJson() {}

    private interface Fields {
        void write(JsonGenerator json) throws IOException;
    }

    private static String object(Fields fields) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            json.writeStartObject();
            fields.write(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return text.toString();
    }

    static String of(RankRequest request) {
        return object(
                json -> {
                    if (request.eventId().isPresent()) {
                        json.writeStringField("eventId", request.eventId().get());
                    }
                    ContextJson.write(request.context(), json);
                    if (!request.excludedActions().isEmpty()) {
                        json.writeArrayFieldStart("excludedActions");
                        for (String id : request.excludedActions()) {
                            json.writeString(id);
                        }
                        json.writeEndArray();
                    }
                    json.writeBooleanField("deferActivation", request.deferred());
                });
    }

    static String of(Reward reward) {
        return object(
                json -> {
                    json.writeNumberField("value", reward.value());
                    json.writeStringField("rewardId", reward.rewardId());
                    if (reward.time().isPresent()) {
                        json.writeStringField("time", reward.time().get().toString());
                    }
                });
    }

    static RankAnswer answer(String body) throws IOException {
        JsonNode json = MAPPER.readTree(body);
        try {
            List<Ranking.Entry> ranking = new ArrayList<>();
            for (JsonNode action : json.required("ranking")) {
                ranking.add(
                        new Ranking.Entry(
                                action.required("id").asText(),
                                action.has("probability")
                                        ? OptionalDouble.of(action.get("probability").asDouble())
                                        : OptionalDouble.empty()));
            }
            return new RankAnswer(
                    json.required("eventId").asText(),
                    json.required("loop").asText(),
                    json.required("policyVersion").asLong(),
                    json.required("action").asInt(),
                    json.required("actionId").asText(),
                    json.required("propensity").asDouble(),
                    JsonNames.constant(
                            PropensityKind.class,
                            "propensityKind",
                            json.required("propensityKind").asText()),
                    json.required("logged").asBoolean(),
                    ranking);
        } catch (IllegalArgumentException e) {
            throw new IOException("the answer is not one of this server: " + e.getMessage(), e);
        }
    }

    /** The problem that an answer tells of; proxies between may answer in other forms. */
    static ProblemResponseException problem(HttpResponse<String> response) {
        String type = "about:blank";
        String detail = "the answer has no problem document";
        String instance = "unknown request";
        try {
            JsonNode json = MAPPER.readTree(response.body());
            type = json.path("type").asText(type);
            detail = json.path("detail").asText(detail);
            instance = json.path("instance").asText(instance);
        } catch (JsonProcessingException e) {
            detail = "the answer is no JSON";
        }
        return new ProblemResponseException(response.statusCode(), type, detail, instance);
    }
}
