package io.counterflow.client.local;

import io.counterflow.client.kafka.ProducerSettings;
import io.counterflow.client.policies.PolicyLimits;
import io.counterflow.client.policies.SnapshotDirectory;
import io.counterflow.core.numeric.Require;
import io.counterflow.schemas.config.Options;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topics;
import java.time.Duration;
import java.util.Map;

/**
 * Settings for decisions in this process.
 *
 * @param impressions the producer of decisions
 * @param maxImpressionBytes limit on an impression, which is the limit of the job
 * @param policies limits on the memory of policies
 * @param snapshots the directory of large snapshots
 */
public record LocalSettings(
        KafkaConfig kafka,
        Topics topics,
        ProducerSettings impressions,
        int maxImpressionBytes,
        PolicyLimits policies,
        SnapshotDirectory snapshots) {

    public LocalSettings {
        Require.atLeast(1, maxImpressionBytes, "maxImpressionBytes");
    }

    /** The default settings of a server. */
    public static LocalSettings of(String bootstrapServers) {
        return new LocalSettings(
                new KafkaConfig(bootstrapServers, Map.of()),
                new Topics("counterflow"),
                new ProducerSettings(Duration.ofSeconds(2), 64L << 20),
                950_000,
                PolicyLimits.ofHeap(),
                SnapshotDirectory.of(Options.STORAGE_DIRECTORY.defaultText()));
    }

    /**
     * A copy with another directory of large snapshots.
     *
     * @param directory the job's {@code storage.directory}
     */
    public LocalSettings withStorageDirectory(String directory) {
        return new LocalSettings(
                kafka,
                topics,
                impressions,
                maxImpressionBytes,
                policies,
                SnapshotDirectory.of(directory));
    }
}
