package io.counterflow.cli.standalone;

import io.counterflow.flink.config.JobConfig;
import io.counterflow.schemas.config.Option;
import io.counterflow.schemas.config.Options;
import io.counterflow.schemas.config.YamlKeys;
import io.counterflow.serving.config.ServingConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The configuration of job and serving with a broker in the same process. The defaults are those of
 * one machine: few partitions, small caches, and short intervals, so that results show within
 * seconds.
 */
public final class LocalConfig {

    private static final String DEFAULTS =
            """
            kafka.event-partitions: 2
            kafka.partitions: 1
            job.parallelism: 1
            checkpoint.interval: 1s
            watermarks.max-out-of-orderness: 1s
            watermarks.idle-timeout: 0s
            join.cache-size: 32mb
            loop.cache-size: 64mb
            windows.size: 1m
            windows.slide: 15s
            serving.management.port: 0
            serving.threads: 2
            serving.heartbeat-interval: 2s
            serving.impressions.timeout: 10s
            serving.impressions.buffer-size: 16mb
            serving.rewards.buffer-size: 16mb
            serving.stop-timeout: 3s
            """;

    private final Map<String, String> values;
    private final Map<String, String> environment;

    private LocalConfig(Map<String, String> values, Map<String, String> environment) {
        this.values = values;
        this.environment = environment;
    }

    /**
     * Reads a configuration.
     *
     * @param yaml the text of a file, whose keys override the defaults
     * @param environment environment variables, which override the file
     * @param storage the directory of the job's state
     * @throws IllegalArgumentException if a key or value is invalid; the message names the key
     */
    public static LocalConfig parse(String yaml, Map<String, String> environment, Path storage) {
        Map<String, String> given = YamlKeys.read(yaml);
        for (Option<String> own : List.of(Options.BOOTSTRAP_SERVERS, Options.STORAGE_DIRECTORY)) {
            requireNotGiven(own.key(), given);
            requireNotGiven(own.variable(), environment);
        }
        Map<String, String> values = new TreeMap<>(YamlKeys.read(DEFAULTS));
        values.putAll(given);
        LocalConfig config =
                new LocalConfig(values, environment)
                        .with(
                                Options.STORAGE_DIRECTORY,
                                storage.toAbsolutePath().toUri().toString());
        var unusedJob = config.job("127.0.0.1:1"); // wrong values fail before anything starts
        var unusedServing = config.serving("127.0.0.1:1");
        return config;
    }

    private static void requireNotGiven(String key, Map<String, String> given) {
        if (given.containsKey(key)) {
            throw new IllegalArgumentException(
                    key
                            + " must not be given, because this command has its own broker and directory");
        }
    }

    /** The same with another value of an option, which overrides file and environment. */
    public LocalConfig with(Option<?> option, String value) {
        Map<String, String> changed = new TreeMap<>(values);
        changed.put(option.key(), value);
        Map<String, String> others = new TreeMap<>(environment);
        others.remove(option.variable());
        return new LocalConfig(changed, others);
    }

    /** The configuration of the job with this broker. */
    public JobConfig job(String bootstrapServers) {
        LocalConfig complete = with(Options.BOOTSTRAP_SERVERS, bootstrapServers);
        return JobConfig.parse(YamlKeys.write(complete.values), complete.environment);
    }

    /** The configuration of serving with this broker. */
    public ServingConfig serving(String bootstrapServers) {
        LocalConfig complete = with(Options.BOOTSTRAP_SERVERS, bootstrapServers);
        return ServingConfig.parse(YamlKeys.write(complete.values), complete.environment);
    }
}
