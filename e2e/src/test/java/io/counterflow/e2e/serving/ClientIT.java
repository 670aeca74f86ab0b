package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.client.ClientSettings;
import io.counterflow.client.CounterflowClient;
import io.counterflow.client.ProblemResponseException;
import io.counterflow.client.RankAnswer;
import io.counterflow.client.Reward;
import io.counterflow.client.SlotsAnswer;
import io.counterflow.client.local.LocalDecision;
import io.counterflow.client.local.LocalDecisions;
import io.counterflow.client.local.LocalSettings;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.client.rank.Slot;
import io.counterflow.client.rank.SlotsRequest;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RewardMetricRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.ImpressionConversion;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The Java client with a server and a broker: calls over HTTP, and local decisions. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class ClientIT {

    private static final String SPEC =
            """
            {"actions":["a","b","c"],"features":2,"explorationFloor":0.1,"inverseTemperature":2}
            """;
    private static final RankRequest REQUEST =
            RankRequest.of(new Context.Vector(DenseVector.of(0.4f, -0.3f)));

    private static SharedKafka kafka;
    private static RunningServing serving;
    private static CounterflowClient client;

    @BeforeAll
    static void start(SharedKafka shared) throws Exception {
        kafka = shared;
        serving = RunningServing.start(kafka, "");
        client = new CounterflowClient(ClientSettings.of(serving.uri("")));
    }

    @AfterAll
    static void stop() {
        serving.close();
    }

    private static LocalDecisions local() throws Exception {
        LocalSettings defaults = LocalSettings.of(kafka.bootstrapServers());
        LocalSettings settings =
                new LocalSettings(
                        defaults.kafka(),
                        kafka.topics(),
                        defaults.impressions(),
                        defaults.maxImpressionBytes(),
                        defaults.policies(),
                        defaults.snapshots());
        LocalDecisions local = LocalDecisions.follow(settings, Clock.systemUTC(), message -> {});
        local.awaitReady(Duration.ofSeconds(60));
        return local;
    }

    private static DenseModel model(long version) {
        return new DenseModel(
                new float[][] {{version, 0}, {0, version}, {-1, 1}}, new float[] {0, 0.5f, 0});
    }

    private static List<Impression> impressions(String loop) {
        ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
        List<Impression> found = new ArrayList<>();
        for (ImpressionRecord record : serving.impressions()) {
            if (record.getLoop().equals(loop)) {
                found.add(conversion.fromRecord(record));
            }
        }
        return found;
    }

    @Test
    void aPageIsFilledAsWellInProcessAsByTheServer() throws Exception {
        serving.put("/v1/loops/paged", SPEC);
        SlotsRequest request =
                new SlotsRequest(
                        REQUEST.withEventId("page-1"), List.of(Slot.of("top"), Slot.of("side")));
        SlotsAnswer answer = client.rankSlots("paged", request);
        assertThat(answer.eventId()).isEqualTo("page-1");
        assertThat(answer.slots())
                .extracting(RankAnswer::eventId)
                .containsExactly("page-1:top", "page-1:side");
        assertThat(answer.slots()).extracting(RankAnswer::actionId).doesNotHaveDuplicates();
        assertThat(impressions("paged")).hasSize(2);
        try (LocalDecisions local = local()) {
            List<LocalDecision> here = local.decideSlots("paged", request);
            assertThat(here)
                    .extracting(LocalDecision::actionId)
                    .isEqualTo(answer.slots().stream().map(RankAnswer::actionId).toList());
            for (LocalDecision each : here) {
                assertThat(each.logged().get(30, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    @Test
    void decisionsRewardsAndActivationsAreInKafkaWhenTheCallsReturn() throws Exception {
        serving.put("/v1/loops/called", SPEC);
        RankAnswer answer =
                client.rank(
                        "called",
                        REQUEST.withEventId("e/1 ü").excluding(List.of("b")).deferringActivation());
        assertThat(answer.eventId()).isEqualTo("e/1 ü");
        assertThat(answer.actionId()).isIn("a", "c");
        assertThat(answer.propensity()).isEqualTo(0.5);
        assertThat(answer.logged()).isTrue();
        assertThat(answer.ranking()).hasSize(3);
        Instant time = Instant.parse("2026-01-01T00:00:00Z");
        client.reward("called", answer.eventId(), new Reward(0.5, "r-1", Optional.of(time)));
        client.activate("called", answer.eventId());

        assertThat(impressions("called"))
                .singleElement()
                .satisfies(
                        it -> {
                            assertThat(it.eventId()).isEqualTo("e/1 ü");
                            assertThat(it.choice().propensity()).hasValue(0.5);
                            assertThat(it.rewardRule().deferred()).isTrue();
                        });
        assertThat(serving.rewards())
                .filteredOn(it -> it.getLoop().equals("called"))
                .containsExactly(
                        new RewardRecord(
                                "r-1", "e/1 ü", "called", time, 0.5, RewardMetricRecord.REWARD));
        assertThat(serving.records(Topic.REWARDS, ActivationRecord.class))
                .extracting(ActivationRecord::getEventId)
                .containsExactly("e/1 ü");
    }

    @Test
    void anErrorOfTheServerIsAnExceptionWithItsProblem() throws Exception {
        serving.put("/v1/loops/refusing", SPEC);
        assertThatThrownBy(() -> client.rank("nowhere", REQUEST))
                .isInstanceOfSatisfying(
                        ProblemResponseException.class,
                        problem -> {
                            assertThat(problem.status()).isEqualTo(404);
                            assertThat(problem.type())
                                    .isEqualTo("urn:counterflow:problem:unknown-loop");
                            assertThat(problem.detail()).contains("nowhere");
                            assertThat(problem.instance()).startsWith("urn:counterflow:request:");
                        });
        RankRequest tooShort = RankRequest.of(new Context.Vector(DenseVector.of(1)));
        assertThatThrownBy(() -> client.rank("refusing", tooShort))
                .isInstanceOf(ProblemResponseException.class)
                .hasMessageContaining("context must have 2 features, got 1");
        assertThatThrownBy(() -> client.reward("nowhere", "e", Reward.of(1)))
                .isInstanceOf(ProblemResponseException.class)
                .hasMessageContaining("404");
    }

    @Test
    void localDecisionsEqualThoseOfTheServer() throws Exception {
        serving.put("/v1/loops/both", SPEC);
        try (PublishedPolicies policies =
                        new PublishedPolicies(serving.config().kafka(), serving.config().topics());
                LocalDecisions local = local()) {
            policies.promote("both", 1, model(1));
            for (long version = 1; version <= 2; version++) {
                long now = version;
                policies.promote("both", now, model(now));
                RunningServing.await(
                        "version %d here and there".formatted(now),
                        () ->
                                local.loop("both").orElseThrow().active().version() == now
                                        && serving.process()
                                                        .policies()
                                                        .loop("both")
                                                        .orElseThrow()
                                                        .active()
                                                        .version()
                                                == now);
                for (int i = 0; i < 50; i++) {
                    RankRequest request = REQUEST.withEventId("v%d-%d".formatted(now, i));
                    RankAnswer here = local.rank("both", request).get();
                    assertThat(here).isEqualTo(client.rank("both", request));
                    assertThat(here.policyVersion()).isEqualTo(now);
                    assertThat(here.logged()).isTrue();
                }
            }
            assertThat(local.unlogged()).isZero();
        }
        assertThat(impressions("both")).hasSize(200);
        assertThat(impressions("both"))
                .extracting(it -> List.of(it.eventId(), it.choice(), it.specVersion()))
                .as("each event once from here and once from there, the same")
                .hasSize(200)
                .satisfies(all -> assertThat(new java.util.HashSet<>(all)).hasSize(100));
    }

    @Test
    void localDecisionsCanBeReproducedFromTheLog() throws Exception {
        serving.put("/v1/loops/audited", SPEC);
        LoopSpec spec = serving.process().policies().loop("audited").orElseThrow().spec();
        List<LocalDecision> decisions = new ArrayList<>();
        try (PublishedPolicies policies =
                        new PublishedPolicies(serving.config().kafka(), serving.config().topics());
                LocalDecisions local = local()) {
            for (int i = 0; i < 2_000; i++) {
                if (i == 1_000) {
                    policies.promote("audited", 1, model(1));
                }
                decisions.add(local.decide("audited", REQUEST));
            }
            RunningServing.await(
                    "version 1", () -> local.loop("audited").orElseThrow().active().version() == 1);
            decisions.add(local.decide("audited", REQUEST));
        } // closing sends buffered records
        for (LocalDecision decision : decisions) {
            assertThat(decision.logged()).isCompletedWithValue(true);
        }
        List<Impression> logged = impressions("audited");
        assertThat(logged)
                .extracting(Impression::eventId)
                .containsExactlyInAnyOrderElementsOf(
                        decisions.stream().map(LocalDecision::eventId).toList());
        assertThat(logged).extracting(Impression::policyVersion).contains(0L, 1L);
        for (Impression impression : logged) {
            Decision again =
                    spec.policyOf(impression.policyVersion() == 0 ? spec.startingModel() : model(1))
                            .decide(
                                    ((Context.Vector) impression.context()).features(),
                                    AllowedActions.ALL,
                                    EventRandom.ofAction("audited", impression.eventId()));
            assertThat(impression.choice().action()).isEqualTo(again.action());
            assertThat(impression.choice().propensity()).hasValue(again.propensity());
        }
    }

    @Test
    void moreFeaturesThanTheLoopAllowsAreRejectedLocally() throws Exception {
        serving.put("/v1/loops/limited", "{\"bits\":10,\"featureLimit\":2}");
        RankRequest request =
                RankRequest.of(
                        new Context.Named(
                                NamedFeatures.none(), LoopShape.unnamed(List.of("a", "b", "c"))));
        try (LocalDecisions local = local()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> local.decide("limited", request))
                    .withMessageContaining("(featureLimit), got 3");
        }
        assertThat(impressions("limited")).isEmpty();
    }

    @Test
    void aLoopThatDoesNotExistIsRejectedLocally() throws Exception {
        try (LocalDecisions local = local()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> local.decide("nowhere", REQUEST))
                    .withMessageContaining("nowhere");
        }
    }
}
