package io.counterflow.serving.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.serving.http.ClientLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ServingConfigTest {

    private static ServingConfig parse(String yaml) {
        return ServingConfig.parse(yaml, Map.of());
    }

    @Test
    void anEmptyFileIsAllDefaults() {
        ServingConfig config = parse("");
        assertThat(config.kafka().bootstrapServers()).isEqualTo("localhost:9092");
        assertThat(config.topics().prefix()).isEqualTo("counterflow");
        assertThat(config.createTopics()).isTrue();
        assertThat(config.topicSettings().eventPartitions()).isEqualTo(8);
        assertThat(config.topicSettings().partitions()).isEqualTo(4);
        assertThat(config.api()).isEqualTo(new ServingConfig.Address("127.0.0.1", 8080));
        assertThat(config.management()).isEqualTo(new ServingConfig.Address("127.0.0.1", 9090));
        assertThat(config.threads()).isEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(config.limits().maxBodyBytes()).isEqualTo(800 << 10);
        assertThat(config.limits().requestsPerSecond()).isZero();
        assertThat(config.limits().requests()).isEqualTo(1_000);
        assertThat(config.limits().largeBodiesBytes()).isEqualTo(64L << 20);
        assertThat(config.limits().connections()).isEqualTo(new ClientLimits(2_000, 1_000));
        assertThat(config.limits().headTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(config.limits().bodyTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.streams()).isEqualTo(new ClientLimits(200, 50));
        assertThat(config.limits().idleTimeout()).isEqualTo(Duration.ofSeconds(60));
        assertThat(config.access().tokensFile()).isEmpty();
        assertThat(config.tls()).isEmpty();
        assertThat(config.impressions().timeout()).isEqualTo(Duration.ofSeconds(2));
        assertThat(config.impressions().bufferBytes()).isEqualTo(64L << 20);
        assertThat(config.rewards().timeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(config.rewards().bufferBytes()).isEqualTo(32L << 20);
        assertThat(config.maxImpressionBytes()).isEqualTo(950_000);
        assertThat(config.heartbeatInterval()).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.personalizerLoop()).isEmpty();
        assertThat(config.stopTimeout()).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void everyKeyReachesItsField() {
        ServingConfig config =
                parse(
                        """
                        kafka:
                          bootstrap-servers: b:1
                          topic-prefix: p
                          create-topics: false
                          event-partitions: 3
                          partitions: 2
                          replication-factor: 1
                          feedback-retention: 1d
                          log-retention: 2d
                          client.security.protocol: SSL
                        ingest.max-record-size: 1000b
                        sink.max-record-size: 2000b
                        serving:
                          name: s-1
                          host: 0.0.0.0
                          port: 81
                          management: {host: 10.0.0.1, port: 82}
                          threads: 5
                          max-body-size: 1kb
                          requests-per-second: 7
                          max-requests: 8
                          large-bodies-size: 3mb
                          max-connections: 11
                          max-connections-per-client: 10
                          max-streams: 13
                          max-streams-per-client: 12
                          head-timeout: 7s
                          body-timeout: 8s
                          idle-timeout: 9s
                          auth: tokens
                          tokens-file: t
                          tls: {certificate-file: c, key-file: k}
                          impressions: {timeout: 100ms, buffer-size: 1mb}
                          rewards: {timeout: 3s, buffer-size: 2mb}
                          heartbeat-interval: 500ms
                          personalizer-loop: home
                          stop-timeout: 1m
                        """);
        assertThat(config.kafka().bootstrapServers()).isEqualTo("b:1");
        assertThat(config.kafka().clientProperties()).containsEntry("security.protocol", "SSL");
        assertThat(config.topics().prefix()).isEqualTo("p");
        assertThat(config.createTopics()).isFalse();
        assertThat(config.topicSettings().eventPartitions()).isEqualTo(3);
        assertThat(config.topicSettings().partitions()).isEqualTo(2);
        assertThat(config.topicSettings().replicationFactor()).isEqualTo(1);
        assertThat(config.topicSettings().feedbackRetention()).isEqualTo(Duration.ofDays(1));
        assertThat(config.topicSettings().logRetention()).isEqualTo(Duration.ofDays(2));
        assertThat(config.topicSettings().maxRecordBytes()).isEqualTo(2000);
        assertThat(config.maxImpressionBytes()).isEqualTo(1000);
        assertThat(config.name()).isEqualTo("s-1");
        assertThat(config.api()).isEqualTo(new ServingConfig.Address("0.0.0.0", 81));
        assertThat(config.management()).isEqualTo(new ServingConfig.Address("10.0.0.1", 82));
        assertThat(config.threads()).isEqualTo(5);
        assertThat(config.limits().maxBodyBytes()).isEqualTo(1024);
        assertThat(config.limits().requestsPerSecond()).isEqualTo(7);
        assertThat(config.limits().requests()).isEqualTo(8);
        assertThat(config.limits().largeBodiesBytes()).isEqualTo(3L << 20);
        assertThat(config.limits().connections()).isEqualTo(new ClientLimits(11, 10));
        assertThat(config.limits().headTimeout()).isEqualTo(Duration.ofSeconds(7));
        assertThat(config.limits().bodyTimeout()).isEqualTo(Duration.ofSeconds(8));
        assertThat(config.streams()).isEqualTo(new ClientLimits(13, 12));
        assertThat(config.limits().idleTimeout()).isEqualTo(Duration.ofSeconds(9));
        assertThat(config.access().tokensFile()).hasValue(Path.of("t"));
        assertThat(config.tls()).hasValue(new ServingConfig.Tls(Path.of("c"), Path.of("k")));
        assertThat(config.impressions().timeout()).isEqualTo(Duration.ofMillis(100));
        assertThat(config.impressions().bufferBytes()).isEqualTo(1L << 20);
        assertThat(config.rewards().timeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(config.rewards().bufferBytes()).isEqualTo(2L << 20);
        assertThat(config.heartbeatInterval()).isEqualTo(Duration.ofMillis(500));
        assertThat(config.personalizerLoop()).hasValue("home");
        assertThat(config.stopTimeout()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void certificateAndKeyMustBeGivenTogether() {
        assertThatThrownBy(() -> parse("serving.tls.key-file: k"))
                .hasMessage(
                        "serving.tls.certificate-file and serving.tls.key-file must be given"
                                + " together");
    }

    @Test
    void anAddressNeedsAHost() {
        assertThatThrownBy(() -> parse("serving.management.host: ' '"))
                .hasMessage("serving.management.host must be given, got none");
    }

    @Test
    void anAllowedHostIsANameWithoutSchemeAndPort() {
        for (String host : new String[] {"https://a.example", "a.example:80", "*", "a,,b"}) {
            assertThatThrownBy(() -> parse("serving.allowed-hosts: '%s'".formatted(host)))
                    .as(host)
                    .hasMessageContaining("serving.allowed-hosts must be host names");
        }
    }

    @Test
    void theApiIsOpenToOtherMachinesOnlyWithTokensOrWithAuthNone() {
        assertThatThrownBy(() -> parse("serving.host: 0.0.0.0"))
                .hasMessageContaining("serving.tokens-file must be given");
        assertThat(parse("serving.host: 0.0.0.0\nserving.auth: none").access().tokensFile())
                .isEmpty();
        assertThat(parse("serving.host: 127.0.0.5").access().tokensFile()).isEmpty();
    }
}
