package io.counterflow.serving.overview;

import static io.counterflow.serving.ServingFixture.json;
import static io.counterflow.serving.ServingFixture.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.schemas.record.HoldoutRecord;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.LearnedCountRecord;
import io.counterflow.schemas.record.LoopCountsRecord;
import io.counterflow.schemas.record.MeanRewardRecord;
import io.counterflow.schemas.record.UnusedCountRecord;
import io.counterflow.schemas.record.UnusedKindRecord;
import io.counterflow.serving.ServingFixture;
import io.counterflow.serving.auth.Caller;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.diagnosis.JobState;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class OverviewEndpointIT {

    private static final long NOW_MS = ServingFixture.NOW.toEpochMilli();

    /** A server with the loops home, a, b and so on. */
    private static ServingFixture server(int more) {
        ServingFixture serving =
                ServingFixture.start(
                        Map.of(
                                "all", new Caller("all", Set.of(Scope.READ, Scope.RANK)),
                                "some",
                                        new Caller(
                                                "some",
                                                Set.of(Scope.READ),
                                                Optional.of(Set.of("a", "b", "unknown")))));
        for (int i = 0; i < more; i++) {
            String loop = Character.toString('a' + i);
            serving.policies().spec(PolicyStoreFixture.spec(loop, 1, ServingFixture.SPEC));
        }
        serving.policies().store().swap();
        serving.setJob(
                new JobState(
                        true,
                        Optional.of(Duration.ofSeconds(3)),
                        Optional.of(Duration.ofSeconds(5)),
                        0,
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(5)));
        serving.counts().caughtUp();
        return serving;
    }

    private static void count(
            ServingFixture serving, String loop, long examples, UnusedCountRecord... unused) {
        serving.counts()
                .take(
                        new LoopCountsRecord(
                                loop,
                                ServingFixture.NOW.minusSeconds(10),
                                examples,
                                new LearnedCountRecord(examples, examples, 0L),
                                List.of(unused),
                                0L,
                                0L),
                        NOW_MS);
    }

    private static UnusedCountRecord dead(long count) {
        return new UnusedCountRecord(UnusedKindRecord.DEAD_LETTER, "EXAMPLE", count, "no features");
    }

    private static JsonNode get(ServingFixture serving, String token, String query) {
        return json(
                200,
                serving.send(
                        serving.request("/v1/overview" + query)
                                .header("authorization", "Bearer " + token)
                                .GET()
                                .build()));
    }

    private static List<String> names(JsonNode overview) {
        return overview.get("loops").valueStream().map(it -> it.get("loop").asText()).toList();
    }

    @Test
    void theWorstLoopsAreFirstAndOfThoseTheBusiest() {
        try (ServingFixture serving = server(4)) {
            count(serving, "a", 10);
            count(serving, "b", 0, dead(7));
            count(serving, "c", 500);
            count(serving, "d", 20, dead(1));
            JsonNode overview = get(serving, "all", "");
            assertThat(names(overview)).containsExactly("d", "b", "c", "a", "home");
            assertThat(overview.get("states").toString())
                    .isEqualTo("{\"ok\":0,\"waiting\":3,\"warning\":2,\"stalled\":0}");
            assertThat(overview.get("matches").asInt()).isEqualTo(5);
            JsonNode worst = overview.get("loops").get(0);
            assertThat(worst.get("state").asText()).isEqualTo("warning");
            assertThat(worst.get("stage").asText()).isEqualTo("deadLetters");
            assertThat(worst.get("reason").asText()).contains("1 EXAMPLE", "no features");
            assertThat(worst.get("activeVersion").asLong()).isZero();
            assertThat(worst.get("decisionsPerSecond").asDouble()).isEqualTo(2.0);
            assertThat(worst.has("reward")).isFalse();
            assertThat(worst.has("unloggedShare")).isFalse();
        }
    }

    @Test
    void aPageIsChosenByNameStateAndPlace() {
        try (ServingFixture serving = server(10)) {
            count(serving, "b", 0, dead(1));
            assertThat(names(get(serving, "all", "?limit=3"))).containsExactly("b", "a", "c");
            JsonNode second = get(serving, "all", "?limit=3&offset=3");
            assertThat(names(second)).containsExactly("d", "e", "f");
            assertThat(second.get("offset").asInt()).isEqualTo(3);
            assertThat(second.get("matches").asInt()).isEqualTo(11);
            assertThat(names(get(serving, "all", "?search=HO"))).containsExactly("home");
            JsonNode warned = get(serving, "all", "?state=warning");
            assertThat(names(warned)).containsExactly("b");
            assertThat(warned.get("matches").asInt()).isEqualTo(1);
            assertThat(warned.at("/states/waiting").asInt()).as("of all states").isEqualTo(10);
            for (String wrong : new String[] {"limit=-1", "limit=1001", "offset=x", "state=bad"}) {
                problem(
                        400,
                        "bad-request",
                        wrong.substring(0, wrong.indexOf('=')) + " must be",
                        serving.send(
                                serving.request("/v1/overview?" + wrong)
                                        .header("authorization", "Bearer all")
                                        .GET()
                                        .build()));
            }
        }
    }

    @Test
    void withoutLoopsThereIsOnlyWhatConcernsNoLoop() {
        try (ServingFixture serving = server(1)) {
            count(serving, "", 0, dead(9));
            JsonNode none = get(serving, "all", "?limit=0");
            assertThat(none.fieldNames()).toIterable().containsExactly("process", "noLoop");
            assertThat(none.at("/noLoop/deadLetters").asInt()).isEqualTo(9);
        }
    }

    @Test
    void loopsThatAreRefusedAreStalled() {
        try (ServingFixture serving = server(1)) {
            serving.policies().spec(PolicyStoreFixture.spec("large", 1, "{\"bits\":24}")).served();
            JsonNode overview = get(serving, "all", "");
            assertThat(names(overview)).containsExactly("large", "a", "home");
            assertThat(overview.at("/states/stalled").asInt()).isEqualTo(1);
            JsonNode large = overview.get("loops").get(0);
            assertThat(large.get("state").asText()).isEqualTo("stalled");
            assertThat(large.get("stage").asText()).isEqualTo("served");
            assertThat(large.get("reason").asText()).contains("(serving.max-loop-size)");
            assertThat(large.has("activeVersion")).isFalse();
        }
    }

    @Test
    void aTokenOfSomeLoopsSeesTheseOnly() {
        try (ServingFixture serving = server(3)) {
            count(serving, "", 0, dead(9));
            JsonNode some = get(serving, "some", "");
            assertThat(names(some)).containsExactly("a", "b");
            assertThat(some.get("matches").asInt()).isEqualTo(2);
            assertThat(some.has("noLoop")).isFalse();
            JsonNode all = get(serving, "all", "");
            assertThat(all.at("/noLoop/deadLetters").asInt()).isEqualTo(9);
            assertThat(all.at("/noLoop/reasons/0/rule").asText()).isEqualTo("EXAMPLE");
        }
    }

    @Test
    void theNewestWindowGivesRewardAndGain() {
        try (ServingFixture serving = server(0)) {
            serving.windows().take(window(60, 1, 900, 0.9, null));
            serving.windows().take(window(120, 1, 300, 0.1, gain()));
            serving.windows().take(window(120, 2, 100, 0.5, gain()));
            serving.windows().take(window(120, 3, 0, Double.NaN, gain()));
            JsonNode home = get(serving, "all", "").get("loops").get(0);
            assertThat(home.get("reward").asDouble()).isCloseTo(0.2, within(1e-12));
            assertThat(home.get("gain").asDouble()).isEqualTo(0.05);
            assertThat(home.get("gainLower").asDouble()).isEqualTo(0.02);
            assertThat(home.get("gainUpper").asDouble()).isEqualTo(0.08);
        }
    }

    private static IpsWindowRecord window(
            long end, long version, long n, double mean, @Nullable HoldoutRecord holdout) {
        IpsWindowRecord window = new IpsWindowRecord();
        window.setLoop("home");
        window.setPolicyVersion(version);
        window.setWindowStart(Instant.ofEpochSecond(0));
        window.setWindowEnd(Instant.ofEpochSecond(end));
        window.setN(n);
        window.setOnPolicyMean(mean);
        window.setEstimates(List.of());
        window.setActionCounts(List.of());
        window.setExpectedActionCounts(List.of());
        window.setHoldout(holdout);
        return window;
    }

    private static HoldoutRecord gain() {
        MeanRewardRecord mean = new MeanRewardRecord(10L, 0.1, 0.0, 0.2);
        return new HoldoutRecord(0L, 0.05, Instant.EPOCH, mean, mean, 0.05, 0.02, 0.08);
    }

    @Test
    void decisionsThatAreNotLoggedCountForTheirLoopAndLoggedOnesHaveATime() {
        try (ServingFixture serving = server(1)) {
            String request = "{\"context\":{\"dense\":[1,1]}}";
            rank(serving, request, 200);
            serving.topics().setAvailable(false);
            rank(serving, request, 503);
            rank(serving, request, 503);
            rank(serving, request, 503);
            JsonNode overview = get(serving, "all", "?search=home");
            JsonNode home = overview.get("loops").get(0);
            assertThat(home.get("unloggedShare").asDouble()).isEqualTo(0.75);
            assertThat(home.get("stage").asText()).isEqualTo("decisions");
            assertThat(home.get("reason").asText()).contains("3 of 4 decisions");
            JsonNode process = overview.get("process");
            assertThat(process.get("rankSeconds50").asDouble()).isPositive();
            assertThat(process.get("rankSeconds99").asDouble())
                    .isGreaterThanOrEqualTo(process.get("rankSeconds50").asDouble());
        }
    }

    private static void rank(ServingFixture serving, String body, int status) {
        assertThat(
                        serving.send(
                                        serving.request("/v1/loops/home/rank")
                                                .header("authorization", "Bearer all")
                                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                                .build())
                                .statusCode())
                .isEqualTo(status);
    }
}
