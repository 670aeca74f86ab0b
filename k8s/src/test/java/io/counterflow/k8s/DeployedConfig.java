package io.counterflow.k8s;

import io.counterflow.flink.config.JobConfig;
import io.counterflow.serving.config.ServingConfig;
import java.io.IOException;
import java.util.Map;

/**
 * The configuration files of an overlay, read by the programs that they are for.
 *
 * @param cluster what they are part of
 */
record DeployedConfig(Cluster cluster, JobConfig job, ServingConfig serving) {

    static DeployedConfig of(Overlay overlay) throws IOException {
        Cluster cluster = overlay.render();
        return new DeployedConfig(
                cluster,
                JobConfig.parse(file(cluster, "job.yaml"), Map.of()),
                ServingConfig.parse(file(cluster, "serving.yaml"), Map.of()));
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
}
