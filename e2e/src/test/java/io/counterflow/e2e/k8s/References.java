package io.counterflow.e2e.k8s;

import static io.counterflow.e2e.k8s.Manifest.values;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Finds references of manifests to objects, pods, ports, volumes and files that do not exist. */
final class References {

    private static final String KAFKA = "/metadata/labels/strimzi.io~1cluster";

    /** Fields of pods that name an object, and the kind of that object. */
    private static final Map<String, String> OF_PODS =
            Map.of(
                    "/serviceAccountName", "ServiceAccount",
                    "/volumes/*/configMap/name", "ConfigMap",
                    "/volumes/*/secret/secretName", "Secret",
                    "/volumes/*/persistentVolumeClaim/claimName", "PersistentVolumeClaim",
                    "/containers/*/env/*/valueFrom/secretKeyRef/name", "Secret",
                    "/containers/*/env/*/valueFrom/configMapKeyRef/name", "ConfigMap");

    private final Cluster cluster;
    private final List<String> problems = new ArrayList<>();

    private References(Cluster cluster) {
        this.cluster = cluster;
    }

    static List<String> problems(Cluster cluster) {
        References references = new References(cluster);
        cluster.manifests().forEach(references::check);
        return references.problems;
    }

    private void check(Manifest manifest) {
        if (!manifest.kind().equals("Namespace")) {
            object(manifest, "Namespace", manifest.at("/metadata/namespace"));
        }
        manifest.podTemplate().ifPresent(it -> pod(manifest, it.get("spec")));
        switch (manifest.kind()) {
            case "FlinkDeployment" ->
                    object(manifest, "ServiceAccount", manifest.at("/spec/serviceAccount"));
            case "HorizontalPodAutoscaler" ->
                    object(manifest, "Deployment", manifest.at("/spec/scaleTargetRef/name"));
            case "RoleBinding" -> {
                object(manifest, "Role", manifest.at("/roleRef/name"));
                values(manifest.json(), "/subjects/*/name")
                        .forEach(it -> object(manifest, "ServiceAccount", it));
                values(manifest.json(), "/subjects/*/namespace")
                        .forEach(it -> object(manifest, "Namespace", it));
            }
            case "KafkaNodePool", "KafkaTopic" -> object(manifest, "Kafka", manifest.at(KAFKA));
            case "KafkaUser" -> {
                object(manifest, "Kafka", manifest.at(KAFKA));
                values(manifest.json(), "/spec/authorization/acls/*/resource")
                        .filter(it -> it.path("type").asText().equals("topic"))
                        .forEach(it -> object(manifest, "KafkaTopic", it.path("name")));
            }
            case "Service" -> ports(manifest, "/spec/selector", "/spec/ports/*/targetPort");
            case "PodMonitor" ->
                    ports(
                            manifest,
                            "/spec/selector/matchLabels",
                            "/spec/podMetricsEndpoints/*/port");
            case "PodDisruptionBudget" -> ports(manifest, "/spec/selector/matchLabels", "/none");
            case "NetworkPolicy" ->
                    ports(
                            manifest,
                            "/spec/podSelector/matchLabels",
                            "/spec/ingress/*/ports/*/port");
            case "ServiceMonitor" -> services(manifest);
            default -> {}
        }
    }

    private void pod(Manifest manifest, JsonNode pod) {
        OF_PODS.forEach(
                (field, kind) -> values(pod, field).forEach(it -> object(manifest, kind, it)));
        for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
            values(pod, "/containers/*/" + probe + "/httpGet/port")
                    .filter(it -> !hasPort(pod, it))
                    .forEach(it -> problem(manifest, "port " + it.asText()));
        }
        values(pod, "/containers/*/volumeMounts/*").forEach(it -> mount(manifest, pod, it));
    }

    private void mount(Manifest manifest, JsonNode pod, JsonNode mount) {
        List<JsonNode> volumes =
                values(pod, "/volumes/*")
                        .filter(it -> it.path("name").equals(mount.path("name")))
                        .toList();
        if (volumes.isEmpty()) {
            problem(manifest, "volume " + mount.path("name").asText());
            return;
        }
        String configMap = volumes.get(0).at("/configMap/name").asText();
        String file = mount.path("subPath").asText();
        if (cluster.has("ConfigMap", configMap)
                && !file.isEmpty()
                && !cluster.the("ConfigMap", configMap).at("/data").has(file)) {
            problem(manifest, "file " + file + " in ConfigMap " + configMap);
        }
    }

    /** The labels must select pods, and these must have the ports. */
    private void ports(Manifest manifest, String labels, String ports) {
        Map<String, String> selected = manifest.texts(labels);
        if (selected.containsKey("strimzi.io/cluster")) { // Strimzi creates these pods
            object(manifest, "Kafka", manifest.at(labels + "/strimzi.io~1cluster"));
            return;
        }
        List<JsonNode> pods = cluster.podsWith(selected).map(it -> it.get("spec")).toList();
        if (pods.isEmpty()) {
            problem(manifest, "pod with " + selected);
            return;
        }
        values(manifest.json(), ports)
                .filter(port -> pods.stream().noneMatch(it -> hasPort(it, port)))
                .forEach(port -> problem(manifest, portOf(port, "pods", selected)));
    }

    private static String portOf(JsonNode port, String kind, Map<String, String> labels) {
        return "port %s of %s with %s".formatted(port.asText(), kind, labels);
    }

    /** A port that is a number need not be declared. */
    private static boolean hasPort(JsonNode pod, JsonNode port) {
        return !port.isTextual()
                || values(pod, "/containers/*/ports/*/name").anyMatch(port::equals);
    }

    private void services(Manifest monitor) {
        Map<String, String> labels = monitor.texts("/spec/selector/matchLabels");
        values(monitor.json(), "/spec/endpoints/*/port")
                .filter(
                        port ->
                                cluster.all("Service")
                                        .filter(it -> Cluster.hasLabels(it.json(), labels))
                                        .flatMap(it -> values(it.json(), "/spec/ports/*/name"))
                                        .noneMatch(port::equals))
                .forEach(port -> problem(monitor, portOf(port, "services", labels)));
    }

    private void object(Manifest manifest, String kind, JsonNode name) {
        if (!cluster.has(kind, name.asText())) {
            problem(manifest, kind + " " + name.asText());
        }
    }

    private void problem(Manifest manifest, String missing) {
        problems.add("%s: there is no %s".formatted(manifest.id(), missing));
    }
}
