package io.counterflow.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What objects other than pods name must be there: pods, ports, roles, Kafka, topics, namespaces.
 */
final class ObjectReferences {

    private static final String CLUSTER_LABEL = "strimzi.io/cluster";
    private static final Set<String> OF_A_KAFKA =
            Set.of("KafkaNodePool", "KafkaTopic", "KafkaUser");

    private final Cluster cluster;
    private final List<String> problems = new ArrayList<>();

    private ObjectReferences(Cluster cluster) {
        this.cluster = cluster;
    }

    static List<String> problems(Cluster cluster) {
        ObjectReferences references = new ObjectReferences(cluster);
        cluster.manifests().forEach(references::check);
        return references.problems;
    }

    private void check(Manifest manifest) {
        if (!manifest.kind().equals("Namespace")) {
            require(manifest, "Namespace", manifest.at("/metadata/namespace").asText("none"));
        }
        if (OF_A_KAFKA.contains(manifest.kind())) {
            require(
                    manifest,
                    "Kafka",
                    manifest.texts("/metadata/labels").getOrDefault(CLUSTER_LABEL, "without name"));
        }
        switch (manifest.kind()) {
            case "Service" -> {
                for (JsonNode port : manifest.at("/spec/ports")) {
                    pods(manifest, manifest.texts("/spec/selector"), port.path("targetPort"));
                }
            }
            case "ServiceMonitor" -> services(manifest);
            case "PodMonitor" -> {
                for (JsonNode endpoint : manifest.at("/spec/podMetricsEndpoints")) {
                    pods(
                            manifest,
                            manifest.texts("/spec/selector/matchLabels"),
                            endpoint.path("port"));
                }
            }
            case "PodDisruptionBudget", "NetworkPolicy" -> selected(manifest);
            case "HorizontalPodAutoscaler" ->
                    require(
                            manifest,
                            manifest.at("/spec/scaleTargetRef/kind").asText(),
                            manifest.at("/spec/scaleTargetRef/name").asText());
            case "RoleBinding" -> {
                require(
                        manifest,
                        manifest.at("/roleRef/kind").asText(),
                        manifest.at("/roleRef/name").asText());
                for (JsonNode subject : manifest.at("/subjects")) {
                    require(manifest, subject.path("kind").asText(), subject.path("name").asText());
                }
            }
            case "KafkaUser" -> {
                for (JsonNode acl : manifest.at("/spec/authorization/acls")) {
                    if (acl.at("/resource/type").asText().equals("topic")) {
                        require(manifest, "KafkaTopic", acl.at("/resource/name").asText());
                    }
                }
            }
            default -> {}
        }
    }

    private void selected(Manifest manifest) {
        JsonNode selector =
                manifest.at(
                        manifest.kind().equals("NetworkPolicy")
                                ? "/spec/podSelector/matchLabels"
                                : "/spec/selector/matchLabels");
        Map<String, String> labels = Manifest.texts(selector);
        if (labels.containsKey(CLUSTER_LABEL)) { // pods that Strimzi makes
            require(manifest, "Kafka", labels.get(CLUSTER_LABEL));
        } else if (!labels.isEmpty() && cluster.podsOf(labels).findAny().isEmpty()) {
            problem(manifest, "pod with " + labels);
        }
        for (JsonNode rule : manifest.at("/spec/ingress")) {
            for (JsonNode port : rule.path("ports")) {
                if (port.path("port").isTextual()) {
                    pods(manifest, labels, port.get("port"));
                }
            }
        }
    }

    private void services(Manifest monitor) {
        Map<String, String> labels = monitor.texts("/spec/selector/matchLabels");
        for (JsonNode endpoint : monitor.at("/spec/endpoints")) {
            String port = endpoint.path("port").asText();
            boolean there =
                    cluster.all("Service")
                            .filter(
                                    it ->
                                            it.texts("/metadata/labels")
                                                    .entrySet()
                                                    .containsAll(labels.entrySet()))
                            .anyMatch(
                                    it ->
                                            it.at("/spec/ports")
                                                    .findValuesAsText("name")
                                                    .contains(port));
            if (!there) {
                problem(monitor, "Service with %s and a port %s".formatted(labels, port));
            }
        }
    }

    private void pods(Manifest manifest, Map<String, String> labels, JsonNode port) {
        if (cluster.podsOf(labels)
                .noneMatch(it -> !port.isTextual() || Cluster.hasPort(it, port.asText()))) {
            problem(manifest, "pod with %s and a port %s".formatted(labels, port.asText()));
        }
    }

    private void require(Manifest manifest, String kind, String name) {
        if (cluster.find(kind, name).isEmpty()) {
            problem(manifest, kind + " " + name);
        }
    }

    private void problem(Manifest manifest, String missing) {
        problems.add("%s: there is no %s".formatted(manifest.id(), missing));
    }
}
