package io.counterflow.e2e.k8s;

import io.counterflow.flink.config.JobConfig;
import io.counterflow.serving.config.ServingConfig;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.TaskManagerOptions;

/**
 * The configuration of an overlay, as job and serving read it.
 *
 * @param cluster all objects of the overlay
 */
record DeployedConfig(Cluster cluster, JobConfig job, ServingConfig serving) {

    static DeployedConfig of(Overlay overlay) throws Exception {
        Cluster cluster = overlay.render();
        return new DeployedConfig(
                cluster,
                JobConfig.parse(
                        file(cluster, "job.yaml"), environment(cluster.the("FlinkDeployment"))),
                ServingConfig.parse(
                        file(cluster, "serving.yaml"), environment(cluster.the("Deployment"))));
    }

    /** The environment variables of a container. Values that a cluster sets are placeholders. */
    private static Map<String, String> environment(Manifest manifest) {
        return Manifest.values(manifest.podTemplate().orElseThrow(), "/spec/containers/*/env/*")
                .collect(
                        Collectors.toMap(
                                it -> it.get("name").asText(),
                                it -> it.path("value").asText("any")));
    }

    private static String file(Cluster cluster, String name) {
        return cluster.all("ConfigMap")
                .map(it -> it.at("/data").path(name))
                .filter(it -> it.isTextual())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no config map with " + name))
                .asText();
    }

    Manifest flink() {
        return cluster.the("FlinkDeployment");
    }

    Manifest deployment() {
        return cluster.the("Deployment");
    }

    /** The configuration that the operator starts Flink with. */
    Configuration flinkConfiguration() {
        Configuration configuration =
                Configuration.fromMap(flink().texts("/spec/flinkConfiguration"));
        configuration.setString(
                JobManagerOptions.TOTAL_PROCESS_MEMORY.key(),
                flink().at("/spec/jobManager/resource/memory").asText());
        configuration.setString(
                TaskManagerOptions.TOTAL_PROCESS_MEMORY.key(),
                flink().at("/spec/taskManager/resource/memory").asText());
        return configuration;
    }
}
