package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.RunMode;
import io.counterflow.flink.job.StoredState;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicAdmin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The privileges of the Kafka users in the manifests are enough for job and serving. A loop learns
 * on a broker that rejects everything else, also after the job was killed.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class LeastPrivilegeIT {

    private static final Path USERS = Path.of("..", "k8s", "base", "kafka-users.yaml");
    private static final String ADMIN = "admin";
    private static final String JOB = "counterflow-job";
    private static final String SERVING = "counterflow-serving";

    @TempDir private static Path directory;

    private static EmbeddedKafka kafka;
    private static EmbeddedFlink flink;

    @BeforeAll
    static void start(EmbeddedFlink sharedFlink) throws Exception {
        String login =
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%1$s\""
                        + " password=\"%1$s\" user_%1$s=\"%1$s\" user_%2$s=\"%2$s\""
                        + " user_%3$s=\"%3$s\";";
        kafka =
                EmbeddedKafka.start(
                        directory.resolve("kafka"),
                        EmbeddedKafka.FREE_PORT,
                        Map.of(
                                "listener.security.protocol.map",
                                "BROKER:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT",
                                "sasl.enabled.mechanisms",
                                "PLAIN",
                                "sasl.mechanism.inter.broker.protocol",
                                "PLAIN",
                                "listener.name.broker.plain.sasl.jaas.config",
                                login.formatted(ADMIN, JOB, SERVING),
                                "authorizer.class.name",
                                "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                                // The connections of the node to its own controller.
                                "super.users",
                                "User:" + ADMIN + ";User:ANONYMOUS"));
        flink = sharedFlink;
        JobConfig admin = config(ADMIN);
        try (TopicAdmin topics =
                        TopicAdmin.connect(admin.kafka(), admin.topics(), admin.topicSettings());
                Admin acls = Admin.create(admin.kafka().properties())) {
            topics.ensure(List.of(Topic.values()), true);
            acls.createAcls(allowed()).all().get();
        }
    }

    @AfterAll
    static void stop() {
        kafka.close();
    }

    private static List<AclBinding> allowed() throws IOException {
        List<AclBinding> allowed = new ArrayList<>();
        ObjectMapper yaml = new ObjectMapper(new YAMLFactory());
        try (var users = yaml.readerFor(JsonNode.class).<JsonNode>readValues(USERS.toFile())) {
            while (users.hasNext()) {
                JsonNode user = users.next();
                String principal = "User:" + user.at("/metadata/name").asText();
                for (JsonNode acl : user.at("/spec/authorization/acls")) {
                    for (JsonNode operation : acl.get("operations")) {
                        allowed.add(
                                new AclBinding(
                                        pattern(acl.get("resource")),
                                        new AccessControlEntry(
                                                principal,
                                                "*",
                                                operation(operation.asText()),
                                                AclPermissionType.ALLOW)));
                    }
                }
            }
        }
        assertThat(allowed).hasSizeGreaterThan(50);
        return allowed;
    }

    private static ResourcePattern pattern(JsonNode resource) {
        return new ResourcePattern(
                switch (resource.get("type").asText()) {
                    case "topic" -> ResourceType.TOPIC;
                    case "group" -> ResourceType.GROUP;
                    default -> ResourceType.TRANSACTIONAL_ID;
                },
                resource.get("name").asText(),
                resource.get("patternType").asText().equals("prefix")
                        ? PatternType.PREFIXED
                        : PatternType.LITERAL);
    }

    private static AclOperation operation(String words) {
        return AclOperation.valueOf(
                words.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toUpperCase(Locale.ROOT));
    }

    private static String client(String user) {
        return """
        kafka.create-topics: false
        kafka.client.security.protocol: SASL_PLAINTEXT
        kafka.client.sasl.mechanism: PLAIN
        kafka.client.sasl.jaas.config: org.apache.kafka.common.security.plain.PlainLoginModule required username="%1$s" password="%1$s";
        """
                .formatted(user);
    }

    private static JobConfig config(String user) {
        return JobConfig.parse(
                client(user)
                        + """
                        kafka.bootstrap-servers: %s
                        kafka.event-partitions: 2
                        kafka.partitions: 1
                        storage.directory: %s
                        job.parallelism: 1
                        checkpoint.interval: 500ms
                        watermarks.max-out-of-orderness: 500ms
                        """
                                .formatted(kafka.bootstrapServers(), directory.resolve("storage")),
                Map.of());
    }

    private static JobClient submit(JobConfig config, Configuration settings) throws Exception {
        JobSetup setup = new JobSetup(config, RunMode.LIVE);
        setup.ensureTopics();
        StreamExecutionEnvironment env = flink.environment(settings);
        setup.build(env);
        return env.executeAsync();
    }

    @Test
    void aLoopLearnsWithThePrivilegesOfTheManifests() throws Exception {
        JobConfig config = config(JOB);
        JobClient job = submit(config, new Configuration());
        try (RunningServing serving =
                RunningServing.start(kafka.bootstrapServers(), client(SERVING))) {
            assertThat(
                            serving.put(
                                            "/v1/loops/home",
                                            """
                                            {"actions":["a","b"],"features":2,"attributionWindow":"1s",
                                             "batchSize":10,"snapshotExamples":50,"rolloutMode":"immediate"}
                                            """)
                                    .statusCode())
                    .isEqualTo(201);
            long learned = learnedAfter(serving, 0);

            job.cancel().get(); // in the middle of a transaction, which the next run must end
            String newest = new StoredState(config.run().checkpoints()).newest().orElseThrow();
            Configuration resumed = new Configuration();
            resumed.set(StateRecoveryOptions.SAVEPOINT_PATH, newest);
            JobClient next = submit(config, resumed);
            assertThat(learnedAfter(serving, learned)).isGreaterThan(learned);
            assertThat(serving.get("/v1/loops/home/pipeline").body()).contains("\"counted\":true");
            next.cancel().get();
        }
    }

    /** Sends events until a later version is active, and returns this version. */
    private static long learnedAfter(RunningServing serving, long version) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
        for (int i = 0; ; i++) {
            String id = "e-%d-%d".formatted(version, i);
            assertThat(
                            serving.post(
                                            "/v1/loops/home/rank",
                                            "{\"eventId\":\"%s\",\"context\":{\"dense\":[1,0]}}"
                                                    .formatted(id))
                                    .statusCode())
                    .isEqualTo(200);
            assertThat(
                            serving.post(
                                            "/v1/loops/home/events/%s/reward".formatted(id),
                                            "{\"value\":1}")
                                    .statusCode())
                    .isEqualTo(202);
            long active =
                    serving.process()
                            .policies()
                            .loop("home")
                            .map(ServedLoop::active)
                            .orElseThrow()
                            .version();
            if (active > version) {
                return active;
            }
            assertThat(System.nanoTime()).as("a version after " + version).isLessThan(end);
        }
    }

    @Test
    void jobAndServingMayNotWriteTheTopicsOfEachOther() {
        assertThatThrownBy(() -> write(SERVING, Topic.POLICY_SNAPSHOTS))
                .hasCauseInstanceOf(TopicAuthorizationException.class);
        assertThatThrownBy(() -> write(SERVING, Topic.ROLLOUTS))
                .hasCauseInstanceOf(TopicAuthorizationException.class);
        assertThatThrownBy(() -> write(JOB, Topic.IMPRESSIONS))
                .hasCauseInstanceOf(TopicAuthorizationException.class);
        assertThatThrownBy(() -> write(JOB, Topic.ROLLOUT_COMMANDS))
                .hasCauseInstanceOf(TopicAuthorizationException.class);
    }

    private static void write(String user, Topic topic)
            throws InterruptedException, ExecutionException {
        JobConfig config = config(user);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        config.kafka().properties(),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            var unused =
                    producer.send(
                                    new ProducerRecord<>(
                                            config.topics().name(topic), new byte[1], new byte[1]))
                            .get();
        }
    }
}
