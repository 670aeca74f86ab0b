package io.counterflow.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * All manifests of one cluster, and what operators make of them.
 *
 * @param manifests in the order in which they were rendered
 */
record Cluster(List<Manifest> manifests) {

    /** On the namespace: names of secrets that people make, divided by spaces. */
    static final String SECRETS_TO_MAKE = "counterflow.io/secrets-to-make";

    Cluster {
        manifests = List.copyOf(manifests);
    }

    Stream<Manifest> all(String kind) {
        return manifests.stream().filter(it -> it.kind().equals(kind));
    }

    Optional<Manifest> find(String kind, String name) {
        return all(kind).filter(it -> it.name().equals(name)).findFirst();
    }

    /** The only one of its kind. */
    Manifest the(String kind) {
        List<Manifest> found = all(kind).toList();
        if (found.size() != 1) {
            throw new IllegalStateException("one %s was expected, got %s".formatted(kind, found));
        }
        return found.get(0);
    }

    Manifest the(String kind, String name) {
        return find(kind, name)
                .orElseThrow(() -> new IllegalStateException("no " + kind + " " + name));
    }

    /**
     * Names of secrets: Strimzi makes one for each user and some for each Kafka; people the rest.
     */
    Set<String> secrets() {
        Set<String> secrets = new HashSet<>();
        all("KafkaUser").forEach(it -> secrets.add(it.name()));
        all("Kafka").forEach(it -> secrets.add(it.name() + "-cluster-ca-cert"));
        all("Namespace")
                .map(it -> it.texts("/metadata/annotations").getOrDefault(SECRETS_TO_MAKE, ""))
                .forEach(it -> secrets.addAll(List.of(it.split(" ", -1))));
        return secrets;
    }

    /** Manifests that make pods with these labels. */
    Stream<Manifest> podsOf(Map<String, String> selector) {
        return manifests.stream()
                .filter(
                        it ->
                                it.podTemplate()
                                        .map(template -> labels(template).entrySet())
                                        .filter(labels -> labels.containsAll(selector.entrySet()))
                                        .isPresent());
    }

    static Map<String, String> labels(JsonNode template) {
        return Manifest.texts(template.at("/metadata/labels"));
    }

    /** Whether the pods of a manifest have a port of this name. */
    static boolean hasPort(Manifest manifest, String port) {
        for (JsonNode container : manifest.podTemplate().orElseThrow().at("/spec/containers")) {
            for (JsonNode open : container.path("ports")) {
                if (open.path("name").asText().equals(port)) {
                    return true;
                }
            }
        }
        return false;
    }
}
