package io.counterflow.client.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

final class KafkaRecordProducerTest {

    private static final Node BROKER = new Node(0, "localhost", 9092);
    private static final byte[] VALUE = {1, 2, 3};
    private static final Instant TIME = Instant.parse("2026-01-01T00:00:00Z");

    private final Topics topics = new Topics("test");
    private final List<MockProducer<byte[], byte[]>> created = new CopyOnWriteArrayList<>();
    private final Deque<Error> failures = new ConcurrentLinkedDeque<>(); // of new producers
    private final KafkaRecordProducer producer =
            KafkaRecordProducer.start(
                    this::create,
                    topics,
                    Duration.ofSeconds(1),
                    List.of(Topic.LOOPS, Topic.REWARDS),
                    Duration.ZERO);
    private final MockProducer<byte[], byte[]> kafka = created.get(0);

    private MockProducer<byte[], byte[]> create() {
        Error failure = failures.poll();
        if (failure != null) {
            throw failure;
        }
        MockProducer<byte[], byte[]> next =
                new MockProducer<>(
                        new Cluster(
                                "test",
                                List.of(BROKER),
                                List.of(
                                        partition(Topic.LOOPS, 0),
                                        partition(Topic.REWARDS, 0),
                                        partition(Topic.REWARDS, 1)),
                                Set.of(),
                                Set.of()),
                        false,
                        null,
                        new ByteArraySerializer(),
                        new ByteArraySerializer());
        created.add(next);
        return next;
    }

    private PartitionInfo partition(Topic topic, int number) {
        Node[] nodes = {BROKER};
        return new PartitionInfo(topics.name(topic), number, BROKER, nodes, nodes);
    }

    private static String key(ProducerRecord<byte[], byte[]> record) {
        return new String(record.key(), StandardCharsets.UTF_8);
    }

    @Test
    void aRecordSucceedsWhenKafkaHasAcknowledgedIt() {
        CompletableFuture<Void> appended = producer.append(Topic.REWARDS, "e-1", TIME, VALUE);
        assertThat(appended).isNotDone();
        assertThat(producer.waiting()).isEqualTo(1);
        assertThat(kafka.completeNext()).isTrue();
        assertThat(appended).isCompleted();
        assertThat(producer.waiting()).isZero();
        ProducerRecord<byte[], byte[]> sent = kafka.history().get(0);
        assertThat(sent.topic()).isEqualTo("test.rewards");
        assertThat(key(sent)).isEqualTo("e-1");
        assertThat(sent.value()).isEqualTo(VALUE);
    }

    @Test
    void recordsOfOneMillisecondShareAPartition() {
        for (int micros = 0; micros < 4_000; micros += 500) {
            Instant time = TIME.plus(micros, ChronoUnit.MICROS);
            var unused = producer.append(Topic.REWARDS, "e-" + micros, time, VALUE);
        }
        assertThat(kafka.history())
                .extracting(ProducerRecord::partition)
                .containsExactly(0, 0, 1, 1, 0, 0, 1, 1);
    }

    @Test
    void recordsOfALoopShareAPartition() {
        var unused = producer.append(Topic.LOOPS, "home", TIME, VALUE);
        assertThat(kafka.history())
                .as("that of their key")
                .extracting(ProducerRecord::partition)
                .containsOnlyNulls();
    }

    @Test
    void aRecordThatIsNotAcknowledgedFails() {
        CompletableFuture<Void> appended = producer.append(Topic.REWARDS, "e-1", TIME, VALUE);
        kafka.errorNext(new TimeoutException("too slow"));
        assertThatThrownBy(appended::join).hasCauseInstanceOf(TimeoutException.class);
        assertThat(producer.waiting()).isZero();
    }

    @Test
    void aRecordFailsAtOnceWhenTheBufferIsFull() {
        kafka.sendException = new TimeoutException("the buffer is full");
        CompletableFuture<Void> appended = producer.append(Topic.REWARDS, "e-1", TIME, VALUE);
        assertThat(appended).isCompletedExceptionally();
        assertThat(producer.waiting()).isZero();
    }

    @Test
    void aProducerThatThrowsIsReplaced() throws Exception {
        kafka.sendException = new KafkaException("in an error state");
        assertThat(producer.append(Topic.REWARDS, "e-1", TIME, VALUE)).isCompletedExceptionally();
        requireReplacement();
    }

    @Test
    void aFencedProducerIsReplaced() throws Exception {
        CompletableFuture<Void> appended = producer.append(Topic.REWARDS, "e-1", TIME, VALUE);
        kafka.errorNext(new ProducerFencedException("by another one"));
        assertThat(appended).isCompletedExceptionally();
        requireReplacement();
    }

    @Test
    void aReplacementThatFailsForAnyReasonIsTriedAgain() throws Exception {
        failures.add(new OutOfMemoryError("of the test"));
        kafka.sendException = new KafkaException("in an error state");
        assertThat(producer.append(Topic.REWARDS, "e-1", TIME, VALUE)).isCompletedExceptionally();
        requireReplacement();
        assertThat(failures).isEmpty();
    }

    @Test
    void aProducerThatHasFailedSaysSoUntilItIsReplaced() {
        KafkaRecordProducer failing =
                KafkaRecordProducer.start(
                        this::create,
                        topics,
                        Duration.ofSeconds(1),
                        List.of(Topic.LOOPS, Topic.REWARDS),
                        Duration.ofDays(1));
        assertThat(failing.failure()).isEmpty();
        var unused = failing.append(Topic.REWARDS, "e-1", TIME, VALUE);
        created.get(1).errorNext(new ProducerFencedException("by another one"));
        assertThat(failing.failure())
                .hasValueSatisfying(
                        it ->
                                assertThat(it)
                                        .contains("test.rewards", "has failed", "by another one"));
        failing.close();
    }

    private void requireReplacement() throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (producer.replacements() == 0 && System.nanoTime() < end) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        assertThat(producer.replacements()).isEqualTo(1);
        assertThat(producer.failure()).isEmpty();
        CompletableFuture<Void> next = producer.append(Topic.REWARDS, "e-2", TIME, VALUE);
        assertThat(created).hasSize(2);
        assertThat(created.get(1).completeNext()).isTrue();
        assertThat(next).isCompleted();
    }

    @Test
    void aTemporaryFailureReplacesNothing() {
        CompletableFuture<Void> appended = producer.append(Topic.REWARDS, "e-1", TIME, VALUE);
        kafka.errorNext(new TimeoutException("too slow"));
        assertThat(appended).isCompletedExceptionally();
        assertThat(producer.failure()).isEmpty();
    }

    @Test
    void aRecordFailsAfterTheProducerIsClosed() {
        producer.close();
        assertThat(producer.append(Topic.REWARDS, "e-1", TIME, VALUE)).isCompletedExceptionally();
    }

    @Test
    void aRecordForAllGoesToEveryPartition() {
        List<Long> stamps = new ArrayList<>();
        CompletableFuture<Void> appended = producer.appendToAll("heartbeat/a", VALUE, stamps::add);
        assertThat(kafka.history())
                .extracting(it -> it.topic() + " " + it.partition() + " " + key(it))
                .containsExactlyInAnyOrder(
                        "test.loops 0 heartbeat/a/0",
                        "test.rewards 0 heartbeat/a/0",
                        "test.rewards 1 heartbeat/a/1");
        kafka.completeNext();
        kafka.completeNext();
        assertThat(appended).as("one is missing").isNotDone();
        assertThat(stamps).as("one per acknowledged record").hasSize(2);
        kafka.completeNext();
        assertThat(appended).isCompleted();
    }

    @Test
    void settingsAreChecked() {
        assertThatThrownBy(() -> new ProducerSettings(Duration.ofMillis(1), 1))
                .hasMessage("timeout must be at least PT0.01S, got PT0.001S");
        assertThatThrownBy(() -> new ProducerSettings(Duration.ofSeconds(1), 0))
                .hasMessage("bufferBytes must be at least 1, got 0");
    }
}
