package io.counterflow.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What pods name must be there: files, secrets, volumes, accounts, ports, images of a version. */
final class PodReferences {

    private final Cluster cluster;
    private final List<String> problems = new ArrayList<>();

    private PodReferences(Cluster cluster) {
        this.cluster = cluster;
    }

    static List<String> problems(Cluster cluster) {
        PodReferences references = new PodReferences(cluster);
        for (Manifest manifest : cluster.manifests()) {
            manifest.podTemplate().ifPresent(it -> references.check(manifest, it.get("spec")));
            if (manifest.kind().equals("FlinkDeployment")) {
                references.account(manifest, manifest.at("/spec/serviceAccount"));
                references.image(manifest, manifest.at("/spec/image"));
            }
        }
        return references.problems;
    }

    private void check(Manifest manifest, JsonNode pod) {
        account(manifest, pod.path("serviceAccountName"));
        Set<String> volumes = new HashSet<>();
        for (JsonNode volume : pod.path("volumes")) {
            volumes.add(volume.path("name").asText());
            require(manifest, "ConfigMap", volume.at("/configMap/name"));
            secret(manifest, volume.at("/secret/secretName"));
            require(
                    manifest,
                    "PersistentVolumeClaim",
                    volume.at("/persistentVolumeClaim/claimName"));
        }
        for (JsonNode container : pod.path("containers")) {
            if (manifest.kind().equals("Deployment")) { // otherwise the operator puts it in
                image(manifest, container.path("image"));
            }
            for (JsonNode mount : container.path("volumeMounts")) {
                if (!volumes.contains(mount.path("name").asText())) {
                    problem(manifest, "volume " + mount.path("name").asText());
                }
                file(manifest, pod, mount);
            }
            for (JsonNode variable : container.path("env")) {
                secret(manifest, variable.at("/valueFrom/secretKeyRef/name"));
                require(manifest, "ConfigMap", variable.at("/valueFrom/configMapKeyRef/name"));
            }
            for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
                JsonNode port = container.path(probe).at("/httpGet/port");
                if (port.isTextual() && !Cluster.hasPort(manifest, port.asText())) {
                    problem(manifest, "port " + port.asText());
                }
            }
        }
    }

    /** A file that is mounted by its name must be in the config map. */
    private void file(Manifest manifest, JsonNode pod, JsonNode mount) {
        String file = mount.path("subPath").asText();
        for (JsonNode volume : pod.path("volumes")) {
            String name = volume.at("/configMap/name").asText();
            if (!file.isEmpty() && volume.path("name").equals(mount.path("name"))) {
                cluster.find("ConfigMap", name)
                        .filter(it -> !it.at("/data").has(file))
                        .ifPresent(it -> problem(manifest, "file " + file + " in " + it.id()));
            }
        }
    }

    private void account(Manifest manifest, JsonNode name) {
        require(manifest, "ServiceAccount", name);
    }

    private void image(Manifest manifest, JsonNode image) {
        if (!image.asText().matches(".+:(?!latest$)[^/]+")) {
            problems.add("%s: image must have a version, got %s".formatted(manifest.id(), image));
        }
    }

    private void secret(Manifest manifest, JsonNode name) {
        if (name.isTextual() && !cluster.secrets().contains(name.asText())) {
            problem(manifest, "Secret " + name.asText());
        }
    }

    private void require(Manifest manifest, String kind, JsonNode name) {
        if (name.isTextual() && cluster.find(kind, name.asText()).isEmpty()) {
            problem(manifest, kind + " " + name.asText());
        }
    }

    private void problem(Manifest manifest, String missing) {
        problems.add("%s: there is no %s".formatted(manifest.id(), missing));
    }
}
