package io.counterflow.schemas.topics;

import io.counterflow.core.numeric.Require;
import java.io.Serializable;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * Settings for creating missing topics.
 *
 * @param eventPartitions partitions of impressions and rewards: the maximum number of parallel
 *     readers
 * @param partitions partitions of all others
 * @param replicationFactor replication factor; 0 is the default of the broker
 * @param feedbackRetention retention of feedback, commands, statistics and dead letters
 * @param logRetention retention of the journal: a replay starts with its first entry
 */
public record TopicSettings(
        int eventPartitions,
        int partitions,
        int replicationFactor,
        Duration feedbackRetention,
        Duration logRetention,
        int maxRecordBytes)
        implements Serializable {

    /** Who sets the timestamps of a topic. */
    static final String TIMESTAMP_TYPE = "message.timestamp.type";

    static final String LOG_APPEND_TIME = "LogAppendTime";

    private static final Duration SHOWN = Duration.ofDays(1);

    /** Compaction leaves out the newest segment, so a topic of large records needs new ones. */
    private static final Duration SNAPSHOT_SEGMENT = Duration.ofHours(1);

    /** Overhead of a batch of one record. */
    private static final int OVERHEAD_BYTES = 48_000;

    public TopicSettings {
        Require.atLeast(1, eventPartitions, "eventPartitions");
        Require.atLeast(1, partitions, "partitions");
        Require.atLeast(0, replicationFactor, "replicationFactor");
        Require.atLeast(1, maxRecordBytes, "maxRecordBytes");
        Require.aboveZero(feedbackRetention, "feedbackRetention");
        Require.aboveZero(logRetention, "logRetention");
    }

    /** The minimum {@code max.message.bytes} of a topic. */
    public int maxMessageBytes() {
        return maxRecordBytes + OVERHEAD_BYTES;
    }

    public NewTopic toNewTopic(Topic topic, String name) {
        return new NewTopic(
                        name,
                        Optional.of(topic.isKeyedByEvent() ? eventPartitions : partitions),
                        replicationFactor == 0
                                ? Optional.empty()
                                : Optional.of((short) replicationFactor))
                .configs(configs(topic));
    }

    private Map<String, String> configs(Topic topic) {
        Map<String, String> configs = new LinkedHashMap<>();
        configs.put("max.message.bytes", Integer.toString(maxMessageBytes()));
        if (topic.hasBrokerTime()) {
            configs.put(TIMESTAMP_TYPE, LOG_APPEND_TIME);
        }
        switch (topic.keeping()) {
            case FEEDBACK -> configs.put("retention.ms", ms(feedbackRetention));
            case SHOWN -> configs.put("retention.ms", ms(SHOWN));
            case LOG -> configs.put("retention.ms", ms(logRetention));
            case NEWEST -> configs.put("cleanup.policy", "compact");
        }
        if (topic == Topic.POLICY_SNAPSHOTS) { // serving reads all of it at startup
            configs.put("segment.ms", ms(SNAPSHOT_SEGMENT));
            configs.put("min.cleanable.dirty.ratio", "0.1");
        }
        return configs;
    }

    private static String ms(Duration duration) {
        return Long.toString(duration.toMillis());
    }
}
