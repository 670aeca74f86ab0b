package io.counterflow.e2e.streaming;

import io.counterflow.cli.embedded.EmbeddedKafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicAdmin;
import io.counterflow.schemas.topics.TopicSettings;
import io.counterflow.schemas.topics.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TopicAdminIT {

    @TempDir private Path directory;

    private static TopicSettings settings(int eventPartitions, int maxRecordBytes) {
        return new TopicSettings(
                eventPartitions, 1, 0, Duration.ofDays(1), Duration.ofDays(1), maxRecordBytes);
    }

    @Test
    void missingTopicsAreMadeOnceAndWrongOnesAreRefused() throws Exception {
        try (EmbeddedKafka broker = EmbeddedKafka.start(directory, EmbeddedKafka.FREE_PORT)) {
            KafkaConfig kafka = new KafkaConfig(broker.bootstrapServers(), Map.of());
            Topics topics = new Topics("c");
            List<Topic> feedback = List.of(Topic.IMPRESSIONS, Topic.REWARDS);
            try (TopicAdmin admin = TopicAdmin.connect(kafka, topics, settings(3, 500_000))) {
                assertThatThrownBy(() -> admin.ensure(feedback, false))
                        .hasMessage(
                                "topics must exist, and are missing: [c.impressions, c.rewards]");
                assertThat(admin.ensure(List.of(Topic.IMPRESSIONS), true))
                        .containsExactly("c.impressions");
                assertThat(admin.ensure(List.of(Topic.IMPRESSIONS), true)).isEmpty();
                assertThat(admin.partitions(Topic.IMPRESSIONS)).isEqualTo(3);
            }
            try (TopicAdmin admin = TopicAdmin.connect(kafka, topics, settings(2, 500_000))) {
                assertThatThrownBy(() -> admin.ensure(feedback, true))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage(
                                "c.impressions and c.rewards must have the same number of"
                                        + " partitions, got 3 and 2");
            }
            try (TopicAdmin admin = TopicAdmin.connect(kafka, topics, settings(3, 600_000))) {
                assertThatThrownBy(() -> admin.ensure(List.of(Topic.IMPRESSIONS), true))
                        .hasMessage(
                                "c.impressions must have max.message.bytes of at least 648000, got"
                                        + " 548000; or lower sink.max-record-size");
            }
        }
    }
}
