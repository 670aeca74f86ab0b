package io.counterflow.serving.config;

import io.counterflow.client.kafka.ProducerSettings;
import io.counterflow.client.policies.PolicyLimits;
import io.counterflow.client.policies.SnapshotDirectory;
import io.counterflow.core.numeric.Require;
import io.counterflow.schemas.config.AuthMode;
import io.counterflow.schemas.config.Component;
import io.counterflow.schemas.config.ConfigValues;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.TopicSettings;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.serving.http.AllowedHosts;
import io.counterflow.serving.http.ClientLimits;
import io.counterflow.serving.http.HttpLimits;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The configuration of the serving process.
 *
 * @param name name of this process in heartbeats
 * @param jobName name of the job whose progress is shown
 * @param management address of health checks and metrics
 * @param threads threads that handle connections
 * @param streams how many streams may be open
 * @param access who may call the API
 * @param tls certificate and key; empty for plain HTTP
 * @param rewards how all other records are written
 * @param policies limits on the memory of policies
 * @param snapshots the directory of large snapshots
 * @param heartbeatInterval interval of heartbeats to all partitions
 * @param personalizerLoop the loop of calls under {@code /personalizer}
 * @param stopTimeout how long requests in progress may take when the process stops
 */
public record ServingConfig(
        String name,
        String jobName,
        KafkaConfig kafka,
        Topics topics,
        TopicSettings topicSettings,
        boolean createTopics,
        Address api,
        Address management,
        int threads,
        HttpLimits limits,
        ClientLimits streams,
        Access access,
        Optional<Tls> tls,
        ProducerSettings impressions,
        ProducerSettings rewards,
        int maxImpressionBytes,
        PolicyLimits policies,
        SnapshotDirectory snapshots,
        Duration heartbeatInterval,
        Optional<String> personalizerLoop,
        Duration stopTimeout) {

    /** An address to listen on; port 0 is any free port. */
    public record Address(String host, int port) {

        public boolean isLoopback() {
            return host.equals("localhost") || host.equals("::1") || host.startsWith("127.");
        }
    }

    /** Certificate and key, in PEM. */
    public record Tls(Path certificate, Path key) {}

    /**
     * Who may call the API.
     *
     * @param tokensFile the file of tokens; empty if no token is required
     * @param hosts the hosts that requests may name
     */
    public record Access(Optional<Path> tokensFile, AllowedHosts hosts) {

        /**
         * Refuses to open the API to other machines without tokens, unless that is configured. With
         * tokens, the host is checked only if hosts are configured.
         */
        static Access of(
                AuthMode mode, Optional<Path> tokensFile, Address api, List<String> hosts) {
            if (mode == AuthMode.NONE && tokensFile.isPresent()) {
                throw new IllegalArgumentException(
                        "serving.tokens-file must not be set if serving.auth is none");
            }
            if (mode != AuthMode.NONE && tokensFile.isEmpty() && !api.isLoopback()) {
                throw new IllegalArgumentException(
                        ("serving.tokens-file must be given, or serving.auth must be none, because"
                                        + " serving.host is %s and not a loopback address")
                                .formatted(api.host()));
            }
            return new Access(
                    tokensFile,
                    tokensFile.isPresent() && hosts.isEmpty()
                            ? AllowedHosts.any()
                            : AllowedHosts.of(api.host(), hosts));
        }
    }

    /**
     * Reads a configuration file.
     *
     * @param environment environment variables, which override the file
     * @throws IllegalArgumentException if a key or value is invalid; the message names it
     */
    public static ServingConfig read(Path file, Map<String, String> environment)
            throws IOException {
        return new ServingConfigReader(ConfigValues.read(Component.SERVING, file, environment))
                .read();
    }

    /** The same for the text of a file. */
    public static ServingConfig parse(String yaml, Map<String, String> environment) {
        return new ServingConfigReader(ConfigValues.parse(Component.SERVING, yaml, environment))
                .read();
    }

    public ServingConfig {
        if (name.isBlank() || name.length() > 100) {
            throw new IllegalArgumentException(
                    "serving.name must have between 1 and 100 characters, got " + name.length());
        }
        Require.that(
                policies.loopBytes() <= policies.allBytes(),
                "serving.max-loop-size must be at most serving.max-policies-size, %d bytes, got %d",
                policies.allBytes(),
                policies.loopBytes());
    }
}
