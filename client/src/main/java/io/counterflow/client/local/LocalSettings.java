package io.counterflow.client.local;

import io.counterflow.client.kafka.ProducerSettings;
import io.counterflow.core.numeric.Require;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topics;
import java.time.Duration;
import java.util.Map;

/**
 * Where policies come from, and where decisions are written.
 *
 * @param kafka how Kafka is reached
 * @param topics names of the topics
 * @param impressions how decisions are written
 * @param maxImpressionBytes largest impression that the job reads
 */
public record LocalSettings(
        KafkaConfig kafka, Topics topics, ProducerSettings impressions, int maxImpressionBytes) {

    public LocalSettings {
        Require.atLeast(1, maxImpressionBytes, "maxImpressionBytes");
    }

    /** With all else as a server has it by default. */
    public static LocalSettings of(String bootstrapServers) {
        return new LocalSettings(
                new KafkaConfig(bootstrapServers, Map.of()),
                new Topics("counterflow"),
                new ProducerSettings(Duration.ofSeconds(2), 64L << 20),
                950_000);
    }
}
