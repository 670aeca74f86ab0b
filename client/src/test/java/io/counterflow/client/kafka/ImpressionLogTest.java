package io.counterflow.client.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardRule;
import io.counterflow.schemas.record.RetractionRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class ImpressionLogTest {

    private static final Instant TIME = Instant.parse("2026-01-02T00:00:00.123456Z");
    private static final Impression IMPRESSION =
            new Impression(
                    "e-1",
                    "home",
                    3,
                    1,
                    TIME,
                    new Context.Vector(DenseVector.of(0.5f)),
                    Choice.of(0, 0.5),
                    RewardRule.none(),
                    OptionalDouble.empty());

    private record Sent(
            Topic topic,
            String key,
            Instant time,
            ByteBuffer value,
            CompletableFuture<Void> result) {}

    private final BlockingQueue<Sent> sent = new LinkedBlockingQueue<>();
    private final List<String> written = new ArrayList<>();
    private final ImpressionLog log =
            new ImpressionLog(
                    (topic, key, time, value) -> {
                        Sent record =
                                new Sent(
                                        topic,
                                        key,
                                        time,
                                        ByteBuffer.wrap(value),
                                        new CompletableFuture<>());
                        sent.add(record);
                        return record.result();
                    },
                    1_000,
                    written::add,
                    Duration.ofMillis(1));

    private Sent next() throws InterruptedException {
        Sent next = sent.poll(10, TimeUnit.SECONDS);
        assertThat(next).as("the next record").isNotNull();
        return next;
    }

    private static void assertRetracts(Sent record) throws Exception {
        assertThat(record.topic()).isEqualTo(Topic.IMPRESSIONS);
        assertThat(record.key()).as("the key of the impression").isEqualTo("e-1");
        assertThat(record.time()).as("and its partition, after it").isEqualTo(TIME);
        assertThat(WireCodec.of(RetractionRecord.class).decode(record.value().array()))
                .isEqualTo(new RetractionRecord("e-1", "home", TIME));
    }

    @Test
    void anAcknowledgedImpressionIsNotRetracted() throws Exception {
        CompletableFuture<Void> appended = log.append(IMPRESSION);
        next().result().complete(null);

        assertThat(appended).isCompleted();
        assertThat(written).containsExactly("home");
        assertThat(sent).isEmpty();
    }

    @Test
    @Timeout(10)
    void anImpressionThatIsNotAcknowledgedIsRetractedUntilKafkaHasTheRetraction() throws Exception {
        CompletableFuture<Void> appended = log.append(IMPRESSION);
        next().result().completeExceptionally(new IllegalStateException("too slow"));
        assertThat(appended).isCompletedExceptionally();
        assertThat(written).isEmpty();

        for (int attempt = 0; attempt < 3; attempt++) {
            Sent retraction = next();
            assertRetracts(retraction);
            assertThat(log.pendingRetractions()).isEqualTo(1);
            retraction.result().completeExceptionally(new IllegalStateException("too slow"));
        }
        next().result().complete(null);

        while (log.pendingRetractions() > 0) {
            Thread.onSpinWait(); // a thread of the log attaches its callback
        }
        assertThat(log.lostRetractions()).isZero();
        assertThat(sent).isEmpty();
    }

    @Test
    void aRetractionIsGivenUpAndCountedAfterTheEnd() throws Exception {
        log.retract(IMPRESSION);
        log.stop();
        next().result().completeExceptionally(new IllegalStateException("closed"));

        assertThat(log.pendingRetractions()).isZero();
        assertThat(log.lostRetractions()).isEqualTo(1);
        assertThat(sent).isEmpty();
    }

    /** An outage would fill the memory otherwise. */
    @Test
    void onlySoManyRetractionsWaitForKafka() {
        for (int i = 0; i < 100_003; i++) {
            log.retract(IMPRESSION);
        }
        assertThat(log.pendingRetractions()).isEqualTo(100_000);
        assertThat(log.lostRetractions()).isEqualTo(3);
        assertThat(sent).hasSize(100_000);
    }
}
