package io.counterflow.serving.pipeline;

import static io.counterflow.serving.ServingFixture.json;
import static io.counterflow.serving.ServingFixture.problem;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.Stage;
import io.counterflow.schemas.record.LearnedCountRecord;
import io.counterflow.schemas.record.LoopCountsRecord;
import io.counterflow.schemas.record.UnusedCountRecord;
import io.counterflow.schemas.record.UnusedKindRecord;
import io.counterflow.serving.ServingFixture;
import io.counterflow.serving.auth.Caller;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.diagnosis.JobState;
import io.counterflow.serving.stats.StatsEndpointsIT;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PipelineEndpointIT {

    private static final String PATH = "/v1/loops/home/pipeline";

    private final ServingFixture serving = ServingFixture.start();

    @AfterEach
    void close() {
        serving.close();
    }

    private static HttpResponse<String> get(ServingFixture server, String token) {
        return server.send(
                server.request(PATH).header("authorization", "Bearer " + token).GET().build());
    }

    private static JsonNode stage(JsonNode pipeline, String name) {
        return pipeline.get("stages")
                .valueStream()
                .filter(it -> it.get("name").asText().equals(name))
                .findAny()
                .orElseThrow();
    }

    @Test
    void aLoopThatIsCreatedAgainHasNoCountsOrWindowsOfTheDeletedOne() {
        json(200, serving.post("/v1/loops/home/rank", "{\"context\":{\"dense\":[1,1]}}"));
        json(202, serving.post("/v1/loops/home/events/e/reward", "{\"value\":1}"));
        serving.counts()
                .take(
                        new LoopCountsRecord(
                                "home",
                                ServingFixture.NOW.minusSeconds(10),
                                2L,
                                new LearnedCountRecord(40L, 2L, 0L),
                                List.of(),
                                0L,
                                0L),
                        ServingFixture.NOW.toEpochMilli());
        serving.windows().take(StatsEndpointsIT.window("home", 1));
        serving.policies().store().takeSpec("home", null);
        serving.policies().spec(PolicyStoreFixture.spec(1, ServingFixture.SPEC)).served();
        JsonNode pipeline = json(200, serving.get(PATH));
        for (String name : List.of("decisions", "rewards", "joined")) {
            assertThat(stage(pipeline, name).get("count").asLong()).as(name).isZero();
        }
        assertThat(serving.windows().of("home")).isEmpty();
        assertThat(serving.windows().bytes()).isZero();
    }

    @Test
    void countsOfThisProcessAndOfTheJobAreShown() {
        long now = ServingFixture.NOW.toEpochMilli();
        serving.setJob(
                new JobState(
                        true,
                        Optional.of(Duration.ofSeconds(3)),
                        Optional.of(Duration.ofSeconds(5)),
                        17,
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(5)));
        for (int i = 0; i < 3; i++) {
            json(200, serving.post("/v1/loops/home/rank", "{\"context\":{\"dense\":[1,1]}}"));
        }
        json(202, serving.post("/v1/loops/home/events/e/reward", "{\"value\":1}"));
        JobCounts job = serving.counts();
        job.take(
                new LoopCountsRecord(
                        "home",
                        ServingFixture.NOW.minusSeconds(10),
                        2L,
                        new LearnedCountRecord(40L, 2L, 0L),
                        List.of(
                                count(UnusedKindRecord.DEAD_LETTER, "EXAMPLE", 1, "no features"),
                                count(UnusedKindRecord.RETRACTED, "", 3, "")),
                        0L,
                        0L),
                now);
        job.caughtUp();

        JsonNode pipeline = json(200, serving.get(PATH));
        assertThat(pipeline.get("loop").asText()).isEqualTo("home");
        assertThat(pipeline.get("time").asText()).isEqualTo(ServingFixture.NOW.toString());
        assertThat(pipeline.get("counted").asBoolean()).isTrue();
        assertThat(pipeline.get("countsCover").asText()).isEqualTo("5m");
        assertThat(pipeline.get("activeVersion").asLong()).isZero();
        assertThat(pipeline.get("rolloutSequence").asLong()).isZero();
        assertThat(pipeline.get("stages").findValuesAsText("name"))
                .containsExactly(
                        "decisions",
                        "rewards",
                        "joined",
                        "learned",
                        "snapshot",
                        "served",
                        "late",
                        "deadLetters");
        assertThat(stage(pipeline, "decisions").get("count").asLong()).isEqualTo(3);
        assertThat(stage(pipeline, "rewards").get("count").asLong()).isEqualTo(1);
        assertThat(stage(pipeline, "joined").get("count").asLong()).isEqualTo(2);
        assertThat(stage(pipeline, "joined").get("last").asText())
                .isEqualTo(ServingFixture.NOW.toString());
        assertThat(stage(pipeline, "late").get("count").asLong()).isZero();
        assertThat(stage(pipeline, "deadLetters").get("state").asText()).isEqualTo("warning");
        assertThat(stage(pipeline, "deadLetters").get("reason").asText())
                .contains("1 records of this loop", "no features");
        assertThat(stage(pipeline, "deadLetters").at("/reasons/0/rule").asText())
                .isEqualTo("EXAMPLE");
        assertThat(stage(pipeline, "joined").get("retracted").asLong()).isEqualTo(3);
        assertThat(stage(pipeline, "joined").get("perSecond").asDouble()).isEqualTo(0.2);
        assertThat(stage(pipeline, "learned").has("count")).isFalse();
        assertThat(pipeline.get("job").get("seen").asBoolean()).isTrue();
        assertThat(pipeline.get("job").get("recordsBehind").asLong()).isEqualTo(17);
        assertThat(pipeline.get("job").get("secondsSinceItMoved").asLong()).isEqualTo(3);
        assertThat(pipeline.get("job").get("secondsSinceKafkaAnswered").asLong()).isEqualTo(1);
        assertThat(pipeline.get("learning").get("examplesSinceSnapshot").asLong()).isEqualTo(2);
        assertThat(pipeline.get("state").asText()).isEqualTo("warning");
        assertThat(pipeline.get("headline").asText()).isNotEmpty();
    }

    private static UnusedCountRecord count(
            UnusedKindRecord kind, String rule, long count, String reason) {
        return new UnusedCountRecord(kind, rule, count, reason);
    }

    @Test
    void aTokenOfSomeLoopsSeesNothingOfOthers() {
        try (ServingFixture limited =
                ServingFixture.start(
                        Map.of(
                                "all", new Caller("all", Set.of(Scope.READ)),
                                "home",
                                        new Caller(
                                                "home",
                                                Set.of(Scope.READ),
                                                Optional.of(Set.of("home")))))) {
            for (String loop : new String[] {JobCounts.NO_LOOP, "other"}) {
                limited.counts()
                        .take(
                                new LoopCountsRecord(
                                        loop,
                                        ServingFixture.NOW.minusSeconds(10),
                                        0L,
                                        null,
                                        List.of(
                                                count(
                                                        UnusedKindRecord.DEAD_LETTER,
                                                        "MALFORMED",
                                                        7,
                                                        "of loop '" + loop + "'")),
                                        0L,
                                        0L),
                                ServingFixture.NOW.toEpochMilli());
            }
            limited.counts().caughtUp();
            JsonNode all = json(200, get(limited, "all"));
            assertThat(stage(all, "deadLetters").get("reason").asText())
                    .contains("7 records of no known loop", "of loop ''")
                    .doesNotContain("other");
            String home = get(limited, "home").body();
            assertThat(home).doesNotContain("MALFORMED").doesNotContain("of loop");
        }
    }

    @Test
    void aJobThatHasNeverRunIsTheHeadline() {
        serving.counts().caughtUp();
        JsonNode pipeline = json(200, serving.get(PATH));
        assertThat(pipeline.get("state").asText()).isEqualTo("stalled");
        assertThat(pipeline.get("headline").asText()).contains("counterflow job");
        assertThat(pipeline.get("job").get("seen").asBoolean()).isFalse();
        assertThat(pipeline.get("job").has("secondsSinceItMoved")).isFalse();
    }

    @Test
    void withoutKafkaTheAnswerComesAtOnce() {
        serving.setJob(
                new JobState(
                        true,
                        Optional.empty(),
                        Optional.empty(),
                        0,
                        Duration.ofSeconds(30),
                        Duration.ofMinutes(5)));
        JsonNode pipeline = json(200, serving.get(PATH));
        assertThat(pipeline.get("counted").asBoolean()).isFalse();
        assertThat(pipeline.get("state").asText()).isEqualTo("stalled");
        assertThat(pipeline.get("headline").asText()).contains("Kafka has not answered for 30 s");
        assertThat(stage(pipeline, "served").get("state").asText()).isEqualTo("ok");
    }

    @Test
    void aQuarantinedLoopIsTheHeadlineWithItsReason() {
        serving.setJob(
                new JobState(
                        true,
                        Optional.of(Duration.ofSeconds(3)),
                        Optional.of(Duration.ofSeconds(5)),
                        0,
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(5)));
        serving.policies()
                .rollout(
                        RolloutChange.Kind.QUARANTINED,
                        new Rollout(
                                Stage.FULL,
                                0,
                                OptionalLong.empty(),
                                List.of(),
                                OptionalLong.empty(),
                                0.0,
                                false,
                                Optional.empty()),
                        "failed on entry 17 (EXAMPLE): ArithmeticException",
                        1)
                .served();
        JsonNode pipeline = json(200, serving.get(PATH));
        assertThat(pipeline.get("state").asText()).isEqualTo("stalled");
        assertThat(pipeline.get("headline").asText())
                .contains("quarantined", "entry 17 (EXAMPLE): ArithmeticException");
        assertThat(stage(pipeline, "learned").get("state").asText()).isEqualTo("stalled");
        assertThat(stage(pipeline, "served").get("state").asText()).isEqualTo("ok");
    }

    @Test
    void anUnknownLoopIsNamed() {
        problem(404, "unknown-loop", "\"nobody\"", serving.get("/v1/loops/nobody/pipeline"));
    }
}
