package io.counterflow.cli.demo;

import io.counterflow.flink.config.JobConfig;
import java.util.Map;

/**
 * The configuration of the demo's job and serving: short intervals, so that results show within
 * seconds, and small caches, because there is only one loop.
 */
final class DemoConfig {

    private static final String BOTH =
            """
            kafka.bootstrap-servers: %s
            kafka.event-partitions: 2
            kafka.partitions: 1
            job.name: counterflow-demo
            """;

    private static final String JOB =
            """
            job.parallelism: 1
            storage.directory: "%s"
            checkpoint.interval: 1s
            watermarks.max-out-of-orderness: 1s
            watermarks.idle-timeout: 0s
            join.impression-wait: 5s
            join.cache-size: 32mb
            loop.cache-size: 64mb
            loop.buffer-size: 64mb
            windows.size: 5s
            windows.slide: 5s
            """;

    private static final String SERVING =
            """
            serving.port: %d
            serving.management.port: 0
            serving.threads: 2
            serving.heartbeat-interval: 500ms
            serving.impressions.timeout: 10s
            serving.impressions.buffer-size: 16mb
            serving.rewards.buffer-size: 16mb
            serving.stop-timeout: 3s
            """;

    private DemoConfig() {}

    static JobConfig job(String bootstrapServers, DemoDirectory directory) {
        String storage = directory.flink().toAbsolutePath().toUri().toString();
        return JobConfig.parse(BOTH.formatted(bootstrapServers) + JOB.formatted(storage), Map.of());
    }

    static String serving(String bootstrapServers, int port) {
        return BOTH.formatted(bootstrapServers) + SERVING.formatted(port);
    }
}
