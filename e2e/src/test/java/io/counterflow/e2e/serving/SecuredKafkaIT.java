package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.cli.streaming.JobCluster;
import io.counterflow.cli.streaming.RunningJob;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.RunMode;
import io.counterflow.schemas.record.JournalKindRecord;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.topics.Topic;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A broker that requires a password and TLS. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
final class SecuredKafkaIT {

    private static final String PASSWORD = "correct-horse-of-the-test";
    private static final String WRONG = "wrong-battery-of-the-test";
    private static final String JAAS =
            "org.apache.kafka.common.security.plain.PlainLoginModule required"
                    + " username=\"counterflow\" password=\"%s\";";

    /** The variable that contains the secret, so that it need not be in a file. */
    private static final String VARIABLE = "COUNTERFLOW_KAFKA_CLIENT_SASL_JAAS_CONFIG";

    @TempDir private static Path directory;
    private static EmbeddedKafka kafka;
    private static TestCertificate certificate;

    @BeforeAll
    static void start() throws Exception {
        certificate = TestCertificate.make(directory);
        String listener = "listener.name.broker.";
        kafka =
                EmbeddedKafka.start(
                        directory.resolve("kafka"),
                        EmbeddedKafka.FREE_PORT,
                        Map.of(
                                "listener.security.protocol.map",
                                "BROKER:SASL_SSL,CONTROLLER:PLAINTEXT",
                                "sasl.mechanism.inter.broker.protocol",
                                "PLAIN",
                                listener + "sasl.enabled.mechanisms",
                                "PLAIN",
                                listener + "plain.sasl.jaas.config",
                                JAAS.formatted(PASSWORD)
                                        .replace(";", " user_counterflow=\"" + PASSWORD + "\";"),
                                listener + "ssl.keystore.type",
                                "PKCS12",
                                listener + "ssl.keystore.location",
                                directory.resolve("store.p12").toString(),
                                listener + "ssl.keystore.password",
                                "changeit",
                                listener + "ssl.truststore.type",
                                "PEM",
                                listener + "ssl.truststore.location",
                                certificate.certificate().toString()));
    }

    @AfterAll
    static void stop() {
        kafka.close();
    }

    private static String clientProperties() {
        return """
        kafka.client.security.protocol: SASL_SSL
        kafka.client.sasl.mechanism: PLAIN
        kafka.client.ssl.truststore.type: PEM
        kafka.client.ssl.truststore.location: %s
        """
                .formatted(certificate.certificate());
    }

    private static JobConfig job(String name, String password) {
        String yaml =
                """
                kafka.bootstrap-servers: %s
                kafka.event-partitions: 2
                kafka.partitions: 1
                storage.directory: %s
                job.parallelism: 1
                checkpoint.interval: 500ms
                watermarks.max-out-of-orderness: 100ms
                """
                        .formatted(kafka.bootstrapServers(), directory.resolve(name));
        return JobConfig.parse(
                yaml + clientProperties(), Map.of(VARIABLE, JAAS.formatted(password)));
    }

    @Test
    void servingAndJobLearnAndLogNoPassword() throws Exception {
        try (CapturedLog log = CapturedLog.to(directory.resolve("all.log"))) {
            JobConfig config = job("storage", PASSWORD);
            JobSetup setup = new JobSetup(config, RunMode.LIVE);
            setup.ensureTopics();
            try (JobCluster cluster = JobCluster.local(config);
                    RunningServing serving =
                            RunningServing.start(
                                    kafka.bootstrapServers(),
                                    clientProperties()
                                            + "kafka.client.sasl.jaas.config: '"
                                            + JAAS.formatted(PASSWORD)
                                            + "'")) {
                RunningJob running = cluster.submit(setup, Optional.empty());
                decide(serving);
                RunningServing.await(
                        "an example in the journal",
                        () -> entries(serving).contains(JournalKindRecord.EXAMPLE));
                running.stop(config.run().checkpoints().savepointDirectory());
                assertThat(serving.log()).doesNotContain(PASSWORD);
            }
            assertThat(log.text())
                    .as("clients say what they are told, but for secrets")
                    .contains("sasl.jaas.config = [hidden]")
                    .contains("security.protocol = SASL_SSL")
                    .doesNotContain(PASSWORD);
        }
    }

    private static List<JournalKindRecord> entries(RunningServing serving) {
        return serving.records(Topic.JOURNAL, JournalRecord.class).stream()
                .map(JournalRecord::getKind)
                .toList();
    }

    private static void decide(RunningServing serving) throws Exception {
        String spec = "{\"actions\":[\"a\",\"b\"],\"features\":2,\"attributionWindow\":\"200ms\"}";
        HttpRequest put =
                serving.request("/v1/loops/home")
                        .PUT(HttpRequest.BodyPublishers.ofString(spec))
                        .build();
        assertThat(serving.send(put).statusCode()).isIn(200, 201, 202);
        RunningServing.await(
                "the loop",
                () ->
                        status(
                                        serving,
                                        "/v1/loops/home/rank",
                                        "{\"eventId\":\"e-1\",\"context\":{\"dense\":[1.0,0.5]}}")
                                == 200);
        assertThat(status(serving, "/v1/loops/home/events/e-1/reward", "{\"value\":1.0}"))
                .isEqualTo(202);
    }

    private static int status(RunningServing serving, String path, String body) {
        try {
            return serving.post(path, body).statusCode();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aWrongPasswordIsReportedButNotShown() throws Exception {
        assertThatThrownBy(() -> new JobSetup(job("other", WRONG), RunMode.LIVE).ensureTopics())
                .isInstanceOf(SaslAuthenticationException.class)
                .hasMessageContaining("Authentication failed: Invalid username or password")
                .hasMessageNotContaining(WRONG);

        Path config =
                Files.writeString(
                        directory.resolve("serve.yaml"),
                        """
                        kafka.bootstrap-servers: %s
                        serving.port: 0
                        serving.management.port: 0
                        """
                                        .formatted(kafka.bootstrapServers())
                                + clientProperties());
        try (LaunchedServing serving =
                LaunchedServing.start(directory, config, Map.of(VARIABLE, JAAS.formatted(WRONG)))) {
            assertThat(serving.exitCode()).isEqualTo(1);
            assertThat(serving.err())
                    .contains("Kafka at " + kafka.bootstrapServers())
                    .contains("Authentication failed: Invalid username or password")
                    .doesNotContain(WRONG);
        }
    }

    @Test
    void aBrokerWithAnUntrustedCertificateIsRejected() {
        JobConfig trusting = job("untrusting", PASSWORD);
        Map<String, String> properties =
                new java.util.TreeMap<>(trusting.kafka().clientProperties());
        properties.remove("ssl.truststore.location");
        properties.remove("ssl.truststore.type");
        try (var admin =
                io.counterflow.schemas.topics.TopicAdmin.connect(
                        new io.counterflow.schemas.topics.KafkaConfig(
                                kafka.bootstrapServers(), properties),
                        trusting.topics(),
                        trusting.topicSettings())) {
            assertThatThrownBy(() -> admin.partitions(Topic.LOOPS))
                    .isInstanceOf(org.apache.kafka.common.errors.SslAuthenticationException.class);
        }
    }
}
