package io.counterflow.serving.config;

import io.counterflow.client.kafka.ProducerSettings;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.TopicSettings;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.serving.http.HttpLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * All that the serving process is told at start-up. Immutable, and checked once.
 *
 * @param name name of this process in heartbeats
 * @param jobName name of the job, whose progress is shown
 * @param kafka how Kafka is reached
 * @param topics names of the topics
 * @param topicSettings how missing topics are made
 * @param createTopics whether they are
 * @param api where the API listens
 * @param management where health and metrics do
 * @param threads threads that serve connections
 * @param limits what a request may cost
 * @param idleTimeout after how long a quiet connection is closed
 * @param access who is let in
 * @param tls certificate and key; empty for plain HTTP
 * @param impressions how decisions are written
 * @param rewards how all else is written
 * @param maxImpressionBytes largest impression
 * @param heartbeatInterval how often partitions are told the time
 * @param personalizerLoop the loop of calls in the shape of Azure Personalizer
 * @param stopTimeout how long requests that have begun may take at the end
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
        Duration idleTimeout,
        Access access,
        Optional<Tls> tls,
        ProducerSettings impressions,
        ProducerSettings rewards,
        int maxImpressionBytes,
        Duration heartbeatInterval,
        Optional<String> personalizerLoop,
        Duration stopTimeout) {

    /** Where a port is open; port 0 is any that is free. */
    public record Address(String host, int port) {
        public Address {
            if (host.isBlank()) {
                throw new IllegalArgumentException("host must be given, got none");
            }
            if (port < 0 || port > 65_535) {
                throw new IllegalArgumentException("port must be in [0, 65535], got " + port);
            }
        }

        boolean isLoopback() {
            return host.equals("localhost") || host.equals("::1") || host.startsWith("127.");
        }
    }

    /** Certificate and key, in PEM. */
    public record Tls(Path certificate, Path key) {}

    /**
     * Who is let in.
     *
     * @param tokensFile the tokens; empty for everybody
     * @param loopbackOnly whether everybody is on this machine
     */
    public record Access(Optional<Path> tokensFile, boolean loopbackOnly) {

        /** Refuses to open a port to everybody unless that is asked for. */
        static Access of(AuthMode mode, Optional<Path> tokensFile, Address api) {
            if (mode == AuthMode.NONE) {
                if (tokensFile.isPresent()) {
                    throw new IllegalArgumentException(
                            "serving.tokens-file must be absent where serving.auth is none");
                }
                return new Access(Optional.empty(), false);
            }
            if (tokensFile.isEmpty() && !api.isLoopback()) {
                throw new IllegalArgumentException(
                        ("serving.tokens-file must be given, or serving.auth must be none, because"
                                        + " serving.host is %s and not a loopback address")
                                .formatted(api.host()));
            }
            return new Access(tokensFile, tokensFile.isEmpty());
        }
    }

    public ServingConfig {
        if (name.isBlank() || name.length() > 100) {
            throw new IllegalArgumentException(
                    "serving.name must have between 1 and 100 characters, got " + name.length());
        }
        if (threads < 1) {
            throw new IllegalArgumentException("serving.threads must be at least 1");
        }
        if (heartbeatInterval.isZero() || heartbeatInterval.isNegative()) {
            throw new IllegalArgumentException(
                    "serving.heartbeat-interval must be above zero, got " + heartbeatInterval);
        }
    }
}
