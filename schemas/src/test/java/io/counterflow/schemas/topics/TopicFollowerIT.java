package io.counterflow.schemas.topics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Without a broker: the handlers do not read. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
final class TopicFollowerIT {

    private static final KafkaConfig KAFKA = new KafkaConfig("localhost:9", Map.of());

    private final List<String> messages = new CopyOnWriteArrayList<>();

    @Test
    void aHandlerThatFailsIsCalledAgainWithANewReader() throws Exception {
        List<TopicReader> readers = new CopyOnWriteArrayList<>();
        CountDownLatch again = new CountDownLatch(2);
        try (TopicFollower follower =
                TopicFollower.start(
                        TopicFollower.Source.of("follow-test", KAFKA),
                        reader -> {
                            readers.add(reader);
                            again.countDown();
                            throw new IllegalStateException("broken");
                        },
                        messages::add)) {
            assertThat(again.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(follower.isRunning()).isTrue();
        }
        assertThat(readers.get(0)).isNotSameAs(readers.get(1));
        assertThat(messages.get(0))
                .isEqualTo("follow-test failed, retrying: java.lang.IllegalStateException: broken");
    }

    @Test
    void anErrorOfTheJvmDoesNotEndTheThreadNeitherDoesTheMessageAboutIt() throws Exception {
        CountDownLatch again = new CountDownLatch(3);
        try (TopicFollower follower =
                TopicFollower.start(
                        TopicFollower.Source.of("follow-test", KAFKA),
                        reader -> {
                            again.countDown();
                            throw new OutOfMemoryError("Java heap space");
                        },
                        message -> {
                            messages.add(message);
                            throw new OutOfMemoryError("no message either");
                        })) {
            assertThat(again.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(follower.isRunning()).isTrue();
            assertThat(follower.failures()).isGreaterThanOrEqualTo(2);
            assertThat(follower.name()).isEqualTo("follow-test");
        }
        assertThat(messages.get(0)).contains("retrying: java.lang.OutOfMemoryError");
    }

    @Test
    void closingEndsTheHandlerAndTheThread() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        TopicFollower follower =
                TopicFollower.start(
                        TopicFollower.Source.of("follow-test", KAFKA),
                        reader -> {
                            started.countDown();
                            while (reader.isActive()) {
                                Thread.onSpinWait();
                            }
                            ended.countDown();
                        },
                        messages::add);
        assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
        follower.close();
        assertThat(ended.getCount()).isZero();
        assertThat(follower.isRunning()).isFalse();
        assertThat(messages).isEmpty();
    }
}
