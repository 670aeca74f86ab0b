package io.counterflow.client;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.client.rank.Ranking;
import io.counterflow.client.rank.Slot;
import io.counterflow.client.rank.SlotsRequest;
import io.counterflow.core.log.RewardMetric;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.rollout.RegisteredPolicy;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.json.ContextJson;
import io.counterflow.schemas.json.JsonNames;
import io.counterflow.schemas.json.NamedFeaturesJson;
import io.counterflow.schemas.snapshot.SnapshotJson;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Writes the bodies of requests, and reads replies. */
final class ClientJson {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,9}");

    private ClientJson() {}

    static String of(RankRequest request) {
        return of(request, List.of());
    }

    static String of(SlotsRequest request) {
        return of(request.shared(), request.slots());
    }

    private static String of(RankRequest request, List<Slot> slots) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = MAPPER.createGenerator(text)) {
            json.writeStartObject();
            if (request.eventId().isPresent()) {
                json.writeStringField("eventId", request.eventId().get());
            }
            ContextJson.write(request.context(), json);
            writeExcluded(request.excludedActions(), json);
            json.writeBooleanField("deferActivation", request.deferred());
            if (!slots.isEmpty()) {
                json.writeArrayFieldStart("slots");
                for (Slot slot : slots) {
                    write(slot, json);
                }
                json.writeEndArray();
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return text.toString();
    }

    private static void write(Slot slot, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("id", slot.id());
        if (!slot.features().entries().isEmpty()) {
            json.writeFieldName("features");
            NamedFeaturesJson.write(slot.features(), json);
        }
        writeExcluded(slot.excludedActions(), json);
        if (slot.baselineAction().isPresent()) {
            json.writeStringField("baselineAction", slot.baselineAction().get());
        }
        json.writeEndObject();
    }

    private static void writeExcluded(List<String> actionIds, JsonGenerator json)
            throws IOException {
        if (!actionIds.isEmpty()) {
            json.writePOJOField("excludedActions", actionIds);
        }
    }

    static String of(Reward reward) {
        ObjectNode json =
                MAPPER.createObjectNode()
                        .put("value", reward.value())
                        .put("rewardId", reward.rewardId());
        reward.time().ifPresent(time -> json.put("time", time.toString()));
        if (reward.metric() != RewardMetric.REWARD) {
            json.put("metric", JsonName.of(reward.metric()));
        }
        return json.toString();
    }

    static String of(RolloutCommand command, String commandId) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = MAPPER.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("action", JsonName.of(command.action()));
            if (command.version().isPresent()) {
                json.writeNumberField("version", command.version().getAsLong());
            }
            if (command.share().isPresent()) {
                json.writeNumberField("share", command.share().getAsDouble());
            }
            if (command.policy().isPresent()) {
                write(command.policy().get(), json);
            }
            json.writeStringField("reason", command.reason());
            json.writeStringField("commandId", commandId);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return text.toString();
    }

    private static void write(RegisteredPolicy policy, JsonGenerator json) throws IOException {
        if (policy instanceof RegisteredPolicy.Snapshot it) {
            json.writeFieldName("snapshot");
            SnapshotJson.write(it.snapshot(), true, json);
        } else if (policy instanceof RegisteredPolicy.GreedyOf greedy) {
            json.writeNumberField("greedyOf", greedy.version());
        } else if (policy instanceof RegisteredPolicy.ConstantAction constant) {
            json.writeStringField("constantAction", constant.actionId());
        }
    }

    static RankAnswer answer(String body) throws IOException {
        return read(body, ClientJson::answer);
    }

    static SlotsAnswer slotsAnswer(String body) throws IOException {
        return read(
                body,
                json -> {
                    List<RankAnswer> slots = new ArrayList<>();
                    json.required("slots").forEach(slot -> slots.add(answer(slot)));
                    return new SlotsAnswer(json.required("eventId").asText(), slots);
                });
    }

    private static <T> T read(String body, Function<JsonNode, T> reading) throws IOException {
        JsonNode json = MAPPER.readTree(body);
        try {
            return reading.apply(json);
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "the reply is not one of a Counterflow server: " + e.getMessage(), e);
        }
    }

    private static RankAnswer answer(JsonNode json) {
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
    }

    /** The problem in a reply; a proxy may reply in another format. */
    static ProblemResponseException problem(HttpResponse<String> response) {
        String type = "about:blank";
        String detail = "the reply has no problem document";
        String instance = "unknown request";
        try {
            JsonNode json = MAPPER.readTree(response.body());
            type = json.path("type").asText(type);
            detail = json.path("detail").asText(detail);
            instance = json.path("instance").asText(instance);
        } catch (JsonProcessingException e) {
            detail = "the reply is not JSON";
        }
        return new ProblemResponseException(
                response.statusCode(), type, detail, instance, retryAfter(response));
    }

    /** The pause in a reply, if it is a number of seconds, as servers send it. */
    private static Optional<Duration> retryAfter(HttpResponse<String> response) {
        return response.headers()
                .firstValue("retry-after")
                .filter(it -> SECONDS.matcher(it).matches())
                .map(it -> Duration.ofSeconds(Long.parseLong(it)));
    }
}
