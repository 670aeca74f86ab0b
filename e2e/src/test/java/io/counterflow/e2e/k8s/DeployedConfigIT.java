package io.counterflow.e2e.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.flink.job.FlinkSettings;
import io.counterflow.flink.job.Main;
import io.counterflow.flink.job.RunMode;
import io.counterflow.schemas.topics.KafkaConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.jobmanager.HighAvailabilityMode;
import org.apache.flink.runtime.jobmanager.JobManagerProcessUtils;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Job and serving accept the deployed configuration, and it agrees with the manifests. */
@Timeout(60)
final class DeployedConfigIT {

    private static final String SECRET = "/etc/counterflow/kafka-user";

    @ParameterizedTest
    @EnumSource
    void jobAndServingStartWithTheMountedConfiguration(Overlay overlay) throws Exception {
        DeployedConfig config = DeployedConfig.of(overlay);
        JsonNode job = config.flink().at("/spec/job");
        JsonNode serving = config.deployment().at("/spec/template/spec/containers/0");
        assertThat(job.at("/entryClass").asText()).isEqualTo(Main.class.getName());
        assertThat(job.at("/args/0").asText()).isEqualTo("--config");
        assertThat(job.at("/args/1"))
                .isEqualTo(
                        config.flink()
                                .at(
                                        "/spec/podTemplate/spec/containers/0/volumeMounts/0/mountPath"));
        assertThat(serving.at("/args/0").asText()).isEqualTo("--config");
        assertThat(serving.at("/args/1")).isEqualTo(serving.at("/volumeMounts/0/mountPath"));
    }

    @ParameterizedTest
    @EnumSource
    void flinkConfigurationOfTheOperatorAgreesWithTheJob(Overlay overlay) throws Exception {
        DeployedConfig config = DeployedConfig.of(overlay);
        Map<String, String> operator = config.flink().texts("/spec/flinkConfiguration");
        Map<String, String> job =
                new TreeMap<>(FlinkSettings.of(config.job(), RunMode.LIVE).toMap());
        Map<String, String> both = new TreeMap<>(job);
        both.keySet().retainAll(operator.keySet());
        assertThat(operator).containsAllEntriesOf(both);
        assertThat(both.keySet())
                .contains(
                        "execution.checkpointing.dir",
                        "execution.checkpointing.savepoint-dir",
                        "execution.checkpointing.incremental",
                        "pipeline.generic-types",
                        "restart-strategy.type",
                        "state.backend.type");
        String deployment = config.job().name() + "/snapshots";
        String storage = config.job().sink().snapshotDirectory().replace(deployment, "");
        assertThat(operator.get("high-availability.storageDir")).startsWith(storage);
    }

    @ParameterizedTest
    @EnumSource
    void everySubtaskOfTheSourcesHasAPartition(Overlay overlay) throws Exception {
        DeployedConfig config = DeployedConfig.of(overlay);
        assertThat(config.flink().at("/spec/job/parallelism").asInt())
                .isLessThanOrEqualTo(config.job().topicSettings().eventPartitions());
    }

    /** The operator refuses last-state upgrades and standby JobManagers without it. */
    @ParameterizedTest
    @EnumSource
    void theJobHasHighAvailability(Overlay overlay) throws Exception {
        assertThat(
                        HighAvailabilityMode.isHighAvailabilityModeActivated(
                                DeployedConfig.of(overlay).flinkConfiguration()))
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void flinkAcceptsTheMemoryOfTheJobManager(Overlay overlay) throws Exception {
        Configuration flink = DeployedConfig.of(overlay).flinkConfiguration();
        assertThatNoException()
                .isThrownBy(() -> JobManagerProcessUtils.processSpecFromConfig(flink));
    }

    /** Once for the caches, and once for the data being processed, in every slot. */
    @ParameterizedTest
    @EnumSource
    void theTaskHeapHoldsTheCachesAndBuffersOfAllSlotsTwice(Overlay overlay) throws Exception {
        DeployedConfig config = DeployedConfig.of(overlay);
        Configuration flink = config.flinkConfiguration();
        long perSlot =
                config.job().loop().cacheBytes()
                        + config.job().loop().blockCacheBytes()
                        + config.job().loop().bufferBytes()
                        + config.job().join().cacheBytes();
        assertThat(
                        TaskExecutorProcessUtils.processSpecFromConfig(flink)
                                .getTaskHeapSize()
                                .getBytes())
                .isGreaterThanOrEqualTo(2 * perSlot * flink.get(TaskManagerOptions.NUM_TASK_SLOTS));
    }

    @ParameterizedTest
    @EnumSource
    void servingListensOnTheDeclaredPorts(Overlay overlay) throws Exception {
        DeployedConfig config = DeployedConfig.of(overlay);
        Map<String, Integer> ports = new TreeMap<>();
        for (JsonNode port : config.deployment().at("/spec/template/spec/containers/0/ports")) {
            ports.put(port.get("name").asText(), port.get("containerPort").asInt());
        }
        assertThat(ports)
                .isEqualTo(
                        Map.of(
                                "http", config.serving().api().port(),
                                "management", config.serving().management().port()));
        assertThat(config.serving().api().host()).isEqualTo("0.0.0.0");
        assertThat(config.serving().management().host()).isEqualTo("0.0.0.0");
    }

    /** Requests stop, running requests end, and records in flight reach Kafka. */
    @ParameterizedTest
    @EnumSource
    void theGracePeriodIsLongEnoughForServingToStop(Overlay overlay) throws Exception {
        DeployedConfig config = DeployedConfig.of(overlay);
        JsonNode pod = config.deployment().at("/spec/template/spec");
        Duration needed =
                Duration.ofSeconds(pod.at("/containers/0/lifecycle/preStop/sleep/seconds").asInt())
                        .plus(config.serving().stopTimeout())
                        .plus(config.serving().impressions().timeout())
                        .plus(config.serving().rewards().timeout().multipliedBy(2));
        assertThat(pod.get("terminationGracePeriodSeconds").asLong())
                .isGreaterThanOrEqualTo(needed.toSeconds());
        assertThat(pod.at("/containers/0/lifecycle/preStop/sleep/seconds").asInt()).isPositive();
    }

    @ParameterizedTest
    @EnumSource
    void jobAndServingUseTheSameTopics(Overlay overlay) throws Exception {
        DeployedConfig config = DeployedConfig.of(overlay);
        assertThat(config.serving().topics()).isEqualTo(config.job().topics());
        assertThat(config.serving().topicSettings()).isEqualTo(config.job().topicSettings());
        assertThat(config.serving().jobName()).isEqualTo(config.job().name());
        assertThat(config.serving().kafka()).isEqualTo(config.job().kafka());
        assertThat(config.serving().createTopics()).isFalse();
        assertThat(config.job().createTopics()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void jobAndServingConnectToTheListenerOfKafka(Overlay overlay) throws Exception {
        DeployedConfig config = DeployedConfig.of(overlay);
        Manifest kafka = config.cluster().the("Kafka");
        JsonNode listener = kafka.at("/spec/kafka/listeners/0");
        assertThat(config.job().kafka().bootstrapServers())
                .isEqualTo(kafka.name() + "-kafka-bootstrap:" + listener.get("port").asText());
        assertThat(listener.get("tls").asBoolean()).isTrue();
        for (Manifest user : config.cluster().all("KafkaUser").toList()) {
            assertThat(user.at("/spec/authentication/type"))
                    .isEqualTo(listener.at("/authentication/type"));
        }
        assertThat(config.job().kafka().clientProperties())
                .containsEntry("security.protocol", "SASL_SSL")
                .containsEntry("sasl.mechanism", "SCRAM-SHA-512");
    }

    /** So the password is in no environment variable and in no stored job graph. */
    @ParameterizedTest
    @EnumSource
    void kafkaClientsReadThePasswordFromTheSecret(Overlay overlay, @TempDir Path secret)
            throws Exception {
        DeployedConfig config = DeployedConfig.of(overlay);
        for (Manifest manifest : List.of(config.flink(), config.deployment())) {
            assertThat(
                            manifest.podTemplate()
                                    .orElseThrow()
                                    .at("/spec/containers/0/volumeMounts")
                                    .findValuesAsText("mountPath"))
                    .contains(SECRET);
        }
        Files.writeString(secret.resolve("sasl.jaas.config"), "module required password=\"p\";");
        assertThat(passwordIn(config.job().kafka(), secret))
                .isEqualTo("module required password=\"p\";");
    }

    private static String passwordIn(KafkaConfig kafka, Path secret) {
        Properties properties = kafka.properties();
        assertThat(properties.getProperty("sasl.jaas.config")).contains(SECRET);
        properties.replaceAll((key, value) -> value.toString().replace(SECRET, secret.toString()));
        return new AdminClientConfig(properties).getPassword("sasl.jaas.config").value();
    }

    @ParameterizedTest
    @EnumSource
    void brokersAllowTheTransactionsOfTheJob(Overlay overlay) throws Exception {
        DeployedConfig config = DeployedConfig.of(overlay);
        assertThat(
                        config.cluster()
                                .the("Kafka")
                                .at("/spec/kafka/config/transaction.max.timeout.ms")
                                .asLong())
                .isGreaterThanOrEqualTo(config.job().sink().transactionTimeout().toMillis());
    }

    /** Serving runs, so its heartbeats reach every partition. */
    @ParameterizedTest
    @EnumSource
    void everyPartitionHoldsBackTheWatermark(Overlay overlay) throws Exception {
        assertThat(DeployedConfig.of(overlay).job().watermarks().idleTimeout()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void policiesFitIntoKafkaWhereServingReadsThem(Overlay overlay) throws Exception {
        DeployedConfig config = DeployedConfig.of(overlay);
        assertThat(config.job().sink().maxInlineSnapshotBytes())
                .isEqualTo(config.job().sink().maxRecordBytes());
        JsonNode broker = config.cluster().the("Kafka").at("/spec/kafka/config");
        int largest = config.job().topicSettings().maxMessageBytes();
        assertThat(broker.get("message.max.bytes").asInt()).isGreaterThanOrEqualTo(largest);
        assertThat(broker.get("replica.fetch.max.bytes").asInt()).isGreaterThanOrEqualTo(largest);
    }
}
