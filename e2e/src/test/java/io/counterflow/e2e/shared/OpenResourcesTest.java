package io.counterflow.e2e.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class OpenResourcesTest {

    private static final Map<String, Object> NOWHERE = Map.of("bootstrap.servers", "127.0.0.1:1");

    private OpenResources before;

    @BeforeEach
    void remember() throws Exception {
        before = OpenResources.now();
    }

    @Test
    void aThreadIsFoundUntilItEnds() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                end.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        },
                        "forgotten");
        thread.start();
        assertThat(OpenResources.now().since(before)).containsExactly("thread forgotten");
        end.countDown();
        thread.join();
        assertThat(OpenResources.now().since(before)).isEmpty();
    }

    @Test
    void anOpenConsumerIsFound() throws Exception {
        try (var consumer =
                new KafkaConsumer<>(
                        NOWHERE, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            assertThat(consumer.assignment()).isEmpty();
            assertThat(OpenResources.now().since(before))
                    .anyMatch(it -> it.startsWith("kafka.consumer:"));
        }
        assertThat(OpenResources.now().since(before)).isEmpty();
    }

    @Test
    void openProducersAndAdminClientsAreFoundByTheirThreads() throws Exception {
        try (var producer =
                        new KafkaProducer<>(
                                NOWHERE, new ByteArraySerializer(), new ByteArraySerializer());
                Admin admin = Admin.create(NOWHERE)) {
            assertThat(producer.metrics()).isNotEmpty();
            assertThat(admin.metrics()).isNotEmpty();
            assertThat(OpenResources.now().since(before))
                    .anyMatch(it -> it.startsWith("thread kafka-producer-network-thread"))
                    .anyMatch(it -> it.startsWith("thread kafka-admin-client-thread"));
        }
        assertThat(OpenResources.now().since(before)).isEmpty();
    }
}
