package io.counterflow.e2e.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicAdmin;
import io.counterflow.schemas.topics.TopicSettings;
import io.counterflow.schemas.topics.Topics;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TopicAdminIT {

    private static TopicSettings settings(int eventPartitions, int maxRecordBytes) {
        return new TopicSettings(
                eventPartitions, 1, 0, Duration.ofDays(1), Duration.ofDays(1), maxRecordBytes);
    }

    @Test
    void missingTopicsAreCreatedOnceAndTopicsWithWrongSettingsAreRejected(SharedKafka broker) {
        KafkaConfig kafka = broker.config();
        Topics topics = broker.topics();
        String impressions = topics.name(Topic.IMPRESSIONS);
        String rewards = topics.name(Topic.REWARDS);
        List<Topic> feedback = List.of(Topic.IMPRESSIONS, Topic.REWARDS);
        try (TopicAdmin admin = TopicAdmin.connect(kafka, topics, settings(3, 500_000))) {
            assertThatThrownBy(() -> admin.ensure(feedback, false))
                    .hasMessage("missing topics: [%s, %s]".formatted(impressions, rewards));
            assertThat(admin.ensure(List.of(Topic.IMPRESSIONS), true)).containsExactly(impressions);
            assertThat(admin.ensure(List.of(Topic.IMPRESSIONS), true)).isEmpty();
            assertThat(admin.partitions(Topic.IMPRESSIONS)).isEqualTo(3);
        }
        try (TopicAdmin admin = TopicAdmin.connect(kafka, topics, settings(2, 500_000))) {
            assertThatThrownBy(() -> admin.ensure(feedback, true))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "%s and %s must have the same number of partitions, got 3 and 2"
                                    .formatted(impressions, rewards));
        }
        try (TopicAdmin admin = TopicAdmin.connect(kafka, topics, settings(3, 600_000))) {
            assertThatThrownBy(() -> admin.ensure(List.of(Topic.IMPRESSIONS), true))
                    .hasMessage(
                            "%s must have max.message.bytes of at least 648000, got 548000; or"
                                    + " lower sink.max-record-size",
                            impressions);
        }
    }
}
