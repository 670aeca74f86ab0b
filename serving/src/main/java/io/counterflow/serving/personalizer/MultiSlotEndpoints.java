package io.counterflow.serving.personalizer;

import com.fasterxml.jackson.core.JsonToken;
import io.counterflow.client.rank.Slot;
import io.counterflow.client.rank.SlotsRequest;
import io.counterflow.core.log.RewardMetric;
import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.schemas.json.JsonDocument;
import io.counterflow.schemas.json.JsonText;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.events.RecentDecisions;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.JsonFields;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.RequestWorkers;
import io.counterflow.serving.rank.RankService;
import io.counterflow.serving.reward.FeedbackService;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Calls for several slots with the requests and replies of Azure Personalizer. Each slot is a
 * decision of its own, as in {@code rank-slots}: the event of the slot {@code top} of the event
 * {@code e-1} is {@code e-1:top}.
 */
public final class MultiSlotEndpoints {

    private final RankService ranks;
    private final FeedbackService feedback;
    private final RecentDecisions decisions;
    private final RequestWorkers workers;
    private final LoopOfCall loops;

    public MultiSlotEndpoints(
            RankService ranks,
            FeedbackService feedback,
            RecentDecisions decisions,
            RequestWorkers workers,
            LoopOfCall loops) {
        this.ranks = ranks;
        this.feedback = feedback;
        this.decisions = decisions;
        this.workers = workers;
        this.loops = loops;
    }

    public List<Endpoint> endpoints() {
        String path = LoopOfCall.PREFIX + "/multislot";
        String event = path + "/events/{eventId}";
        return List.of(
                Endpoint.post(path + "/rank", Scope.RANK, this::rank),
                Endpoint.post(event + "/reward", Scope.REWARD, this::reward),
                Endpoint.post(event + "/activate", Scope.REWARD, this::activate));
    }

    private Future<Reply> rank(Call call) {
        String loop = loops.of(call);
        SlotsRequest request = PersonalizerRequestJson.readSlots(call.body());
        return ranks.rank(
                loop, request, (eventId, answers) -> reply(eventId, request.slots(), answers));
    }

    private static Reply reply(String eventId, List<Slot> slots, List<RankService.Answer> answers) {
        StringBuilder json = new StringBuilder(1_024).append("{\"slots\":");
        char separator = '[';
        for (int i = 0; i < slots.size(); i++) {
            json.append(separator).append("{\"id\":");
            JsonText.append(slots.get(i).id(), json);
            json.append(",\"rewardActionId\":");
            JsonText.append(answers.get(i).ranked().actionId(), json);
            json.append('}');
            separator = ',';
        }
        json.append("],\"eventId\":");
        JsonText.append(eventId, json);
        Reply reply = Reply.text(201, Reply.JSON, json.append('}').toString());
        boolean logged = answers.stream().allMatch(RankService.Answer::logged);
        return logged ? reply : reply.with(PersonalizerEndpoints.LOGGED, "false");
    }

    private Future<Reply> reward(Call call) {
        String loop = loops.of(call);
        return feedback.rewards(loop, rewards(call.path("eventId"), call.body()))
                .map(rewardIds -> Reply.empty(204));
    }

    /** Reads {@code {"reward": [{"slotId": "top", "value": 1}]}}, by the events of the slots. */
    private static Map<String, FeedbackService.Reward> rewards(String page, Buffer body) {
        List<SlotReward> given = new ArrayList<>();
        JsonFields.read(
                body,
                (name, json) -> {
                    if (!name.equals("reward")) {
                        throw JsonFields.unknown(name);
                    }
                    given.addAll(
                            json.list(
                                    name,
                                    "an array",
                                    SlotsRequest.MAX_SLOTS,
                                    () -> SlotReward.read(json)));
                });
        if (given.isEmpty()) {
            throw new InvalidJsonException("reward", "must have at least 1 entry, got none");
        }
        Map<String, FeedbackService.Reward> rewards = new LinkedHashMap<>();
        for (int i = 0; i < given.size(); i++) {
            String event = SlotsRequest.eventId(page, given.get(i).slotId());
            if (rewards.put(event, given.get(i).reward()) != null) {
                throw new InvalidJsonException(
                        "reward[%d].slotId".formatted(i), "must be unique, got it again");
            }
        }
        return rewards;
    }

    private record SlotReward(String slotId, double value) {

        static SlotReward read(JsonDocument json) throws IOException {
            json.require(JsonToken.START_OBJECT, "", "an object");
            String slotId = "";
            double value = Double.NaN;
            for (String name = json.nextField(); name != null; name = json.nextField()) {
                if (json.nextToken() == JsonToken.VALUE_NULL) {
                    continue;
                }
                switch (name) {
                    case "slotId" -> slotId = json.text(name);
                    case "value" -> value = json.number(name);
                    default ->
                            throw new InvalidJsonException(
                                    "", "must have slotId and value, got another field");
                }
            }
            if (!Slot.isId(slotId)) {
                throw new InvalidJsonException("slotId", Slot.ID_RULE);
            }
            if (Double.isNaN(value)) {
                throw new InvalidJsonException("value", "must be given");
            }
            return new SlotReward(slotId, value);
        }

        FeedbackService.Reward reward() {
            return new FeedbackService.Reward(
                    value, Optional.empty(), Optional.empty(), RewardMetric.REWARD);
        }
    }

    /** Activates all slots of an event. The call does not name them, so they must be remembered. */
    private Future<Reply> activate(Call call) {
        String loop = loops.served(call).spec().loop();
        String page = call.path("eventId");
        return workers.run(() -> decisions.deferredSlots(loop, page))
                .compose(
                        events -> {
                            if (events.isEmpty()) {
                                throw RecentDecisions.unknown(
                                        "event as a deferred one with slots, which can also be"
                                                + " activated one by one");
                            }
                            return Future.all(
                                    events.stream()
                                            .map(event -> feedback.activate(loop, event))
                                            .toList());
                        })
                .map(done -> Reply.empty(204));
    }
}
