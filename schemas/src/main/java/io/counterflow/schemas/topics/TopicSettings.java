package io.counterflow.schemas.topics;

import io.counterflow.core.numeric.Require;
import java.io.Serializable;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * How topics are made when they are missing.
 *
 * @param eventPartitions partitions of impressions and rewards: most readers that can share them
 * @param partitions partitions of all others
 * @param replicationFactor copies of each; 0 takes the broker's default
 * @param feedbackRetention how long feedback, statistics and dead letters are kept
 * @param logRetention how long is kept what a replay needs: examples, specs, commands, late records
 * @param maxRecordBytes largest record that they must take
 */
public record TopicSettings(
        int eventPartitions,
        int partitions,
        int replicationFactor,
        Duration feedbackRetention,
        Duration logRetention,
        int maxRecordBytes)
        implements Serializable {

    /** What a batch of one record has around it, compressed badly. */
    private static final int OVERHEAD_BYTES = 48_000;

    public TopicSettings {
        Require.atLeast(1, eventPartitions, "eventPartitions");
        Require.atLeast(1, partitions, "partitions");
        Require.atLeast(0, replicationFactor, "replicationFactor");
        Require.atLeast(1, maxRecordBytes, "maxRecordBytes");
        Require.aboveZero(feedbackRetention, "feedbackRetention");
        Require.aboveZero(logRetention, "logRetention");
    }

    /** The least that a topic's {@code max.message.bytes} must be. */
    public int maxMessageBytes() {
        return maxRecordBytes + OVERHEAD_BYTES;
    }

    /** How a topic is made. */
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
        switch (topic.keeping()) {
            case FEEDBACK -> configs.put("retention.ms", ms(feedbackRetention));
            case LOG -> configs.put("retention.ms", ms(logRetention));
            case NEWEST -> configs.put("cleanup.policy", "compact");
            case NEWEST_AND_LOG -> {
                configs.put("cleanup.policy", "compact");
                // A replay needs the specs that were in force as long as it has their examples.
                configs.put("min.compaction.lag.ms", ms(logRetention));
            }
        }
        return configs;
    }

    private static String ms(Duration duration) {
        return Long.toString(duration.toMillis());
    }
}
