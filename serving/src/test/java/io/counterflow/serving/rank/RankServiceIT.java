package io.counterflow.serving.rank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.client.kafka.ImpressionLog;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.client.rank.Slot;
import io.counterflow.client.rank.SlotsRequest;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Context;
import io.counterflow.schemas.record.RetractionRecord;
import io.counterflow.schemas.wire.WireCodec;
import io.counterflow.serving.ServingFixture;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.RequestWorkers;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class RankServiceIT {

    private final Vertx vertx = Vertx.vertx();
    private final PolicyStoreFixture policies = new PolicyStoreFixture();
    private final List<ByteBuffer> written = new ArrayList<>();
    private final ImpressionLog impressions =
            new ImpressionLog(
                    (topic, key, time, value) -> {
                        written.add(ByteBuffer.wrap(value));
                        return CompletableFuture.completedFuture(null);
                    },
                    10_000,
                    loop -> {});

    @AfterEach
    void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    @Test
    void aDecisionIsRetractedIfItsAnswerCannotBeWritten() {
        policies.spec(PolicyStoreFixture.spec(1, ServingFixture.SPEC));
        policies.served();
        RankService service =
                new RankService(
                        new RequestWorkers(vertx, 1),
                        policies.store(),
                        impressions,
                        new RankMetrics(new SimpleMeterRegistry(), impressions, loop -> {}),
                        Clock.systemUTC());
        RankRequest request =
                RankRequest.of(new Context.Vector(DenseVector.of(0.5f, 1.0f))).withEventId("e-1");
        assertThatThrownBy(
                        () ->
                                service.rank(
                                        PolicyStoreFixture.LOOP,
                                        request,
                                        answer -> {
                                            throw new IllegalStateException("cannot be written");
                                        }))
                .hasMessage("cannot be written");
        assertThat(written).hasSize(2);
        assertThat(WireCodec.of(RetractionRecord.class).accepts(written.get(1).array())).isTrue();
    }

    /** Kafka takes the first slot, and not the second one. */
    @Test
    void aPageOfWhichOneSlotIsNotLoggedIsRetracted() throws Exception {
        policies.spec(PolicyStoreFixture.spec(1, ServingFixture.SPEC));
        policies.served();
        List<String> stored = new ArrayList<>();
        WireCodec<RetractionRecord> retractions = WireCodec.of(RetractionRecord.class);
        ImpressionLog log =
                new ImpressionLog(
                        (topic, key, time, value) -> {
                            if (retractions.accepts(value)) {
                                stored.add("retraction of " + key);
                            } else if (key.endsWith(":side")) {
                                return CompletableFuture.failedFuture(new TimeoutException());
                            } else {
                                stored.add(key);
                            }
                            return CompletableFuture.completedFuture(null);
                        },
                        10_000,
                        loop -> {});
        RankService service =
                new RankService(
                        new RequestWorkers(vertx, 1),
                        policies.store(),
                        log,
                        new RankMetrics(new SimpleMeterRegistry(), log, loop -> {}),
                        Clock.systemUTC());
        SlotsRequest request =
                new SlotsRequest(
                        RankRequest.of(new Context.Vector(DenseVector.of(0.5f, 1.0f)))
                                .withEventId("p-1"),
                        List.of(Slot.of("top"), Slot.of("side")));
        assertThatThrownBy(
                        () ->
                                service.rank(
                                                PolicyStoreFixture.LOOP,
                                                request,
                                                (eventId, answers) -> Reply.empty(200))
                                        .toCompletionStage()
                                        .toCompletableFuture()
                                        .get(10, TimeUnit.SECONDS))
                .hasMessageContaining("was not logged in time");
        assertThat(stored)
                .containsExactlyInAnyOrder(
                        "p-1:top", "retraction of p-1:top", "retraction of p-1:side");
    }
}
