package io.counterflow.schemas.topics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class TopicSettingsTest {

    private static final TopicSettings SETTINGS =
            new TopicSettings(8, 4, 3, Duration.ofDays(7), Duration.ofDays(90), 1_000_000);

    private static NewTopic made(Topic topic) {
        return SETTINGS.toNewTopic(topic, new Topics("c").name(topic));
    }

    @ParameterizedTest
    @EnumSource
    void everyTopicAcceptsTheLargestRecordAndIsReplicated(Topic topic) {
        assertThat(made(topic).name()).startsWith("c.");
        assertThat(made(topic).configs()).containsEntry("max.message.bytes", "1048000");
        assertThat(made(topic).replicationFactor()).isEqualTo((short) 3);
    }

    @Test
    void topicsKeyedByEventIdHaveTheSameNumberOfPartitions() {
        assertThat(made(Topic.IMPRESSIONS).numPartitions()).isEqualTo(8);
        assertThat(made(Topic.REWARDS).numPartitions()).isEqualTo(8);
        assertThat(made(Topic.LOOPS).numPartitions()).isEqualTo(4);
    }

    @Test
    void topicsThatServingReadsAreCompacted() {
        for (Topic topic : List.of(Topic.LOOPS, Topic.POLICY_SNAPSHOTS, Topic.ROLLOUTS)) {
            assertThat(made(topic).configs())
                    .as("%s", topic)
                    .containsEntry("cleanup.policy", "compact");
        }
    }

    /** By default, compaction would leave out up to a week and half of the rest. */
    @Test
    void deletedSnapshotsSoonLeaveTheTopic() {
        assertThat(made(Topic.POLICY_SNAPSHOTS).configs())
                .containsEntry("segment.ms", "3600000")
                .containsEntry("min.cleanable.dirty.ratio", "0.1");
    }

    @Test
    void theJournalIsKeptLongerThanFeedback() {
        assertThat(made(Topic.JOURNAL).configs()).containsEntry("retention.ms", "7776000000");
        assertThat(made(Topic.REWARDS).configs()).containsEntry("retention.ms", "604800000");
    }

    @Test
    void theBrokerSetsTheTimestampsOfWhatTheJobReads() {
        Set<Topic> read =
                Set.of(Topic.IMPRESSIONS, Topic.REWARDS, Topic.LOOPS, Topic.ROLLOUT_COMMANDS);
        for (Topic topic : Topic.values()) {
            assertThat(made(topic).configs().get("message.timestamp.type"))
                    .as("%s", topic)
                    .isEqualTo(read.contains(topic) ? "LogAppendTime" : null);
        }
    }

    @Test
    void theReplicationFactorMayBeTheBrokersDefault() {
        TopicSettings settings =
                new TopicSettings(1, 1, 0, Duration.ofDays(1), Duration.ofDays(1), 1);
        assertThat(settings.toNewTopic(Topic.LATE, "c.late").replicationFactor())
                .isEqualTo((short) -1);
        assertThatThrownBy(
                        () -> new TopicSettings(0, 1, 0, Duration.ofDays(1), Duration.ofDays(1), 1))
                .hasMessage("eventPartitions must be at least 1, got 0");
    }
}
