package io.counterflow.e2e.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.e2e.serving.RunningServing;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Loops of every kind, and users who ask for decisions and send rewards over HTTP. */
final class SampleTraffic {

    private static final String SMALL_STEPS =
            "\"batchSize\":10,\"bufferSteps\":2,\"bufferCapacity\":200,\"snapshotExamples\":30,"
                    + "\"snapshotRewards\":0,\"explorationFloor\":0.2";

    /** The specs by loop. */
    static final Map<String, String> SPECS =
            new TreeMap<>(
                    Map.of(
                            "articles",
                            "{\"actions\":[\"a\",\"b\",\"c\"],\"features\":4,"
                                    + "\"rolloutMode\":\"immediate\",\"attributionWindow\":\"1s\","
                                    + "\"rewardAggregation\":\"max\","
                                    + SMALL_STEPS
                                    + "}",
                            "offers",
                            "{\"bits\":8,\"rolloutMode\":\"gated\",\"attributionWindow\":\"1s\","
                                    + "\"guardrailMargin\":0.3,\"guardrailDefaultReward\":1,"
                                    + "\"holdoutShare\":0.1,"
                                    + SMALL_STEPS
                                    + "}",
                            "mail",
                            "{\"actions\":[\"now\",\"later\"],\"features\":4,"
                                    + "\"rolloutMode\":\"manual\",\"attributionWindow\":\"3s\","
                                    + "\"rewardAggregation\":\"sum\",\"rewardRange\":[0,10],"
                                    + SMALL_STEPS
                                    + "}",
                            "news",
                            "{\"actions\":[\"x\",\"y\"],\"features\":4,\"policy\":\"mixedLogit\","
                                    + "\"propensityKind\":\"estimated\",\"propensityDraws\":100,"
                                    + "\"objective\":\"bcrm\",\"normBound\":3,"
                                    + "\"rolloutMode\":\"immediate\",\"attributionWindow\":\"1s\","
                                    + SMALL_STEPS
                                    + "}",
                            "shelf",
                            "{\"actions\":[\"x\",\"y\"],\"features\":4,"
                                    + "\"rolloutMode\":\"apprentice\",\"attributionWindow\":\"1s\","
                                    + SMALL_STEPS
                                    + "}"));

    private final RunningServing serving;
    private final Set<String> decided = new TreeSet<>();

    SampleTraffic(RunningServing serving) {
        this.serving = serving;
    }

    void createLoops() throws Exception {
        for (Map.Entry<String, String> spec : SPECS.entrySet()) {
            var created = serving.put("/v1/loops/" + spec.getKey(), spec.getValue());
            assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
        }
    }

    /** The event ids of all decisions that count. */
    Set<String> decided() {
        return decided;
    }

    /** Takes decisions of all loops, and sends rewards. */
    void send(String phase, int decisions) throws Exception {
        for (int i = 0; i < decisions; i++) {
            for (String loop : SPECS.keySet()) {
                decide(loop, "%s-%s-%03d".formatted(loop, phase, i), i % 5 == 0);
            }
        }
    }

    private void decide(String loop, String eventId, boolean deferred) throws Exception {
        ObjectNode request = question(loop, eventId);
        if (deferred) {
            request.put("deferActivation", true);
        }
        JsonNode answer = ask(loop, request);
        decided.add(eventId);
        String event = "/v1/loops/" + loop + "/events/" + eventId;
        if (deferred) {
            assertThat(serving.post(event + "/activate", "").statusCode()).isEqualTo(202);
        }
        EventRandom random = EventRandom.named(eventId);
        double x = request.path("context").has("dense") ? random.nextGaussian() : 1.0;
        if (answer.get("action").asInt() == (x > 0 ? 0 : 1)) {
            reward(event, "{\"value\":1,\"rewardId\":\"r-1\"}");
            if (random.nextInt(10) == 0) {
                reward(event, "{\"value\":1,\"rewardId\":\"r-1\"}");
            }
        }
        if (loop.equals("offers") && random.nextInt(20) == 0) {
            reward(event, "{\"value\":0,\"rewardId\":\"r-2\",\"metric\":\"guardrail\"}");
        }
    }

    /** Different answers to one event id, none of which counts. */
    void conflict(String loop) throws Exception {
        for (String other : List.of("one", "two")) {
            ObjectNode request = question(loop, other);
            request.put("eventId", "twice");
            ask(loop, request);
        }
    }

    private void reward(String event, String reward) throws Exception {
        var answer = serving.post(event + "/reward", reward);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    }

    /** A request that depends on loop and event id only. */
    static ObjectNode question(String loop, String eventId) throws Exception {
        EventRandom random = EventRandom.named(eventId);
        StringBuilder context = new StringBuilder();
        if (loop.equals("offers")) {
            context.append("{\"features\":{\"user\":{\"age\":")
                    .append(random.nextInt(5))
                    .append("}}},\"actions\":[{\"id\":\"x\",\"features\":{\"o\":{\"is\":\"x\"}}},")
                    .append("{\"id\":\"y\",\"features\":{\"o\":{\"is\":\"y\"}}},{\"id\":\"z\"}]");
        } else {
            context.append("{\"dense\":[");
            for (int i = 0; i < 4; i++) {
                context.append(i == 0 ? "" : ",")
                        .append(String.format(Locale.ROOT, "%.2f", random.nextGaussian()));
            }
            context.append("]}");
        }
        return (ObjectNode)
                StoredRelease.JSON.readTree(
                        "{\"eventId\":\"%s\",\"context\":%s}".formatted(eventId, context));
    }

    private JsonNode ask(String loop, JsonNode request) throws Exception {
        var answer = serving.post("/v1/loops/" + loop + "/rank", request.toString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return RunningServing.json(answer);
    }

    /** Answers of each loop to requests with the given names. */
    JsonNode answers(List<String> names) throws Exception {
        var answers = StoredRelease.JSON.createArrayNode();
        for (String loop : SPECS.keySet()) {
            for (String name : names) {
                JsonNode answer = ask(loop, question(loop, loop + "-" + name));
                ObjectNode row = answers.addObject();
                for (String field :
                        List.of(
                                "loop",
                                "eventId",
                                "policyVersion",
                                "action",
                                "propensity",
                                "propensityKind",
                                "ranking")) {
                    row.set(field, answer.get(field));
                }
            }
        }
        return answers;
    }
}
