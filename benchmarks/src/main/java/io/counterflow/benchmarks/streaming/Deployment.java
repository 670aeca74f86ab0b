package io.counterflow.benchmarks.streaming;

import io.counterflow.flink.config.JobConfig;
import java.nio.file.Path;
import java.util.Map;

/**
 * Where jobs run.
 *
 * @param bootstrapServers the broker
 * @param directory the directory of checkpoints
 */
record Deployment(String bootstrapServers, Path directory) {

    /** The parallelism of measured jobs, and the number of partitions. */
    static final int PARALLELISM = 2;

    /** A checkpoint per second. */
    static final String FREQUENT_CHECKPOINTS = "checkpoint.interval: 1s";

    /**
     * The configuration of a job with default settings.
     *
     * @param more lines with other settings
     */
    JobConfig config(String topicPrefix, String name, int parallelism, String more) {
        return JobConfig.parse(
                """
                job.name: %s
                kafka.bootstrap-servers: %s
                kafka.topic-prefix: %s
                kafka.event-partitions: %d
                kafka.partitions: %d
                storage.directory: %s
                job.parallelism: %d
                %s
                """
                        .formatted(
                                name,
                                bootstrapServers,
                                topicPrefix,
                                PARALLELISM,
                                PARALLELISM,
                                directory.resolve(name),
                                parallelism,
                                more),
                Map.of());
    }
}
