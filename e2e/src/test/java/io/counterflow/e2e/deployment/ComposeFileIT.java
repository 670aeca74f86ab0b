package io.counterflow.e2e.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.flink.config.JobConfig;
import io.counterflow.schemas.config.Component;
import io.counterflow.schemas.config.ConfigValues;
import io.counterflow.schemas.config.Options;
import io.counterflow.serving.config.ServingConfig;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.MemorySize;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The compose file agrees with images, configuration and code, and mistakes in it are found. */
final class ComposeFileIT {

    private final String text = Project.read("docker/compose.yaml");
    private final Map<String, Object> services =
            ComposeRules.map(ComposeRules.load(text).get("services"));
    private final String config = Project.read("docker/counterflow.yaml");

    ComposeFileIT() throws java.io.IOException {}

    private Map<String, Object> service(String name) {
        return ComposeRules.map(services.get(name));
    }

    @Test
    void everyServiceIsHardenedAndAllItsReferencesExist() throws Exception {
        assertThat(services.keySet())
                .containsExactlyInAnyOrder(
                        "kafka",
                        "jobmanager",
                        "taskmanager",
                        "serving",
                        "setup",
                        "traffic",
                        "prometheus",
                        "grafana");
        assertThat(ComposeRules.complaints(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "read_only: true|read_only: false|must be read_only",
                "cap_drop: [ALL]|cap_drop: [NET_RAW]|must drop ALL",
                "no-new-privileges:true|seccomp:unconfined|must gain no privileges",
                "mem_limit: 640m|stop_signal: TERM|must have a mem_limit",
                "127.0.0.1:8081:8081|8081:8081|port must be on loopback",
                "apache/kafka:4.2.2|apache/kafka:latest|image must have a tag",
                "prom/prometheus:v3.5.0|prom/prometheus|image must have a tag",
                "./counterflow.yaml:|./counterflow.yml:|./counterflow.yml is not there",
                "counterflow.yaml:ro|counterflow.yaml|must be mounted read-only",
                "state:/var/lib/counterflow:ro|stat:/var/lib/counterflow:ro|volume stat is not",
                "counterflow.flink.job.Main|counterflow.flink.Job|is not a class with a main",
                "/etc/counterflow/counterflow.yaml:ro|/etc/other.yaml:ro|is not mounted",
                "flink:2.2.1-scala_2.12-java17|flink:2.1.0|FLINK_IMAGE must be flink:2.2.1",
                "kafka: {condition|zookeeper: {condition|which is no service",
                "setup: {condition: service_completed_successfully}|prometheus: {condition:"
                        + " service_healthy}|has no check"
            })
    void aMistakeIsFound(String right, String wrong, String complaint) throws Exception {
        assertThat(text).contains(right);
        assertThat(ComposeRules.complaints(text.replace(right, wrong)))
                .anyMatch(it -> it.contains(complaint));
    }

    @Test
    void imagesHaveTheNamesOfTheManifests() throws Exception {
        List<String> built =
                services.values().stream()
                        .map(ComposeRules::map)
                        .filter(it -> it.containsKey("build"))
                        .map(it -> ComposeRules.resolve(String.valueOf(it.get("image"))))
                        .distinct()
                        .filter(image -> !image.startsWith("counterflow/traffic:"))
                        .toList();
        for (String overlay : List.of("dev", "production")) {
            String file = "k8s/overlays/" + overlay + "/kustomization.yaml";
            assertThat(ComposeRules.load(Project.read(file)).get("images"))
                    .asInstanceOf(InstanceOfAssertFactories.list(Object.class))
                    .map(ComposeRules::map)
                    .map(it -> it.get("name") + ":" + it.get("newTag"))
                    .as(overlay)
                    .containsExactlyInAnyOrderElementsOf(built);
        }
    }

    @Test
    void servicesWithoutPortHaveNoHealthCheck() {
        for (String client : List.of("setup", "traffic")) {
            assertThat(ComposeRules.map(service(client).get("healthcheck")))
                    .as(client)
                    .containsEntry("disable", true);
        }
    }

    @Test
    void jobAndServingReadTheConfiguration() {
        JobConfig job = JobConfig.parse(config, Map.of());
        ServingConfig serving = ServingConfig.parse(config, Map.of());
        assertThat(job.kafka().bootstrapServers())
                .isEqualTo("kafka:9092")
                .isEqualTo(serving.kafka().bootstrapServers());
        assertThat(ComposeRules.map(service("kafka").get("environment")))
                .containsEntry("KAFKA_ADVERTISED_LISTENERS", "BROKER://kafka:9092");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JobConfig.parse(config + "\njob.nam: x", Map.of()))
                .withMessageContaining("unknown key job.nam");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ServingConfig.parse(config + "\nserving.prt: 1", Map.of()))
                .withMessageContaining("unknown key serving.prt");
    }

    @Test
    void theBrokerAllowsTheTransactionsOfTheJob() {
        Object allowedMs =
                ComposeRules.map(service("kafka").get("environment"))
                        .get("KAFKA_TRANSACTION_MAX_TIMEOUT_MS");
        assertThat(Long.parseLong(String.valueOf(allowedMs)))
                .isGreaterThanOrEqualTo(
                        JobConfig.parse(config, Map.of()).sink().transactionTimeout().toMillis());
    }

    @Test
    void allServicesMountTheSameStateDirectory() {
        String storage =
                ConfigValues.parse(Component.JOB, config, Map.of()).get(Options.STORAGE_DIRECTORY);
        assertThat(storage).isEqualTo("file:///var/lib/counterflow");
        for (String writer : List.of("jobmanager", "taskmanager")) {
            assertThat(ComposeRules.list(service(writer).get("volumes")))
                    .contains("state:/var/lib/counterflow");
        }
        assertThat(ComposeRules.list(service("serving").get("volumes")))
                .contains("state:/var/lib/counterflow:ro");
    }

    @Test
    void thePortsAreThoseOfTheConfiguration() throws Exception {
        ServingConfig serving = ServingConfig.parse(config, Map.of());
        int api = serving.api().port();
        int management = serving.management().port();
        assertThat(ComposeRules.list(service("serving").get("ports")))
                .containsExactly(
                        "127.0.0.1:%d:%d".formatted(api, api),
                        "127.0.0.1:%d:%d".formatted(management, management));
        assertThat(Project.read("docker/serving.Dockerfile"))
                .contains("EXPOSE %d %d".formatted(api, management))
                .contains("\"%d\", \"/readyz\"".formatted(management));
        assertThat(Project.read("docker/prometheus/prometheus.yml"))
                .contains("serving:" + management);
        assertThat(ComposeRules.list(service("traffic").get("command")))
                .contains("http://serving:" + api);
    }

    @Test
    void theGracePeriodIsLongEnoughToStop() {
        Duration stop = ServingConfig.parse(config, Map.of()).stopTimeout();
        Duration grace = Duration.parse("PT" + service("serving").get("stop_grace_period"));
        assertThat(grace).isGreaterThan(stop);
    }

    @Test
    void containersHaveEnoughMemoryForTheirProcesses() throws Exception {
        Map<String, Object> flink = ComposeRules.load(Project.read("docker/flink/config.yaml"));
        for (String name : List.of("jobmanager", "taskmanager")) {
            Map<String, Object> memory =
                    ComposeRules.map(ComposeRules.map(flink.get(name)).get("memory"));
            MemorySize process =
                    MemorySize.parse(
                            String.valueOf(ComposeRules.map(memory.get("process")).get("size")));
            MemorySize limit = MemorySize.parse(String.valueOf(service(name).get("mem_limit")));
            assertThat(limit.getBytes()).as(name).isGreaterThan(process.getBytes());
        }
    }
}
