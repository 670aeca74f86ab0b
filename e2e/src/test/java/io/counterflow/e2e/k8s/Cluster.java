package io.counterflow.e2e.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * All objects of an overlay.
 *
 * @param manifests in the order in which kubectl writes them
 */
record Cluster(List<Manifest> manifests) {

    /** Annotation of the namespace: the secrets that people create, separated by spaces. */
    static final String SECRETS_TO_CREATE = "counterflow.io/secrets-to-make";

    Cluster {
        manifests = List.copyOf(manifests);
    }

    Stream<Manifest> all(String kind) {
        return manifests.stream().filter(it -> it.kind().equals(kind));
    }

    /** The only object of a kind. */
    Manifest the(String kind) {
        List<Manifest> found = all(kind).toList();
        if (found.size() != 1) {
            throw new IllegalStateException("expected one %s, got %s".formatted(kind, found));
        }
        return found.get(0);
    }

    Manifest the(String kind, String name) {
        return all(kind)
                .filter(it -> it.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no " + kind + " " + name));
    }

    boolean has(String kind, String name) {
        return (kind.equals("Secret") ? secrets() : all(kind).map(Manifest::name))
                .anyMatch(name::equals);
    }

    /** Strimzi creates a secret for each user and for each Kafka. People create the others. */
    private Stream<String> secrets() {
        return Stream.of(
                        all("KafkaUser").map(Manifest::name),
                        all("Kafka").map(it -> it.name() + "-cluster-ca-cert"),
                        all("Namespace")
                                .map(it -> it.texts("/metadata/annotations").get(SECRETS_TO_CREATE))
                                .flatMap(it -> Stream.ofNullable(it))
                                .flatMap(it -> Stream.of(it.split(" ", -1))))
                .flatMap(it -> it);
    }

    /** The templates of all pods with these labels. */
    Stream<JsonNode> podsWith(Map<String, String> labels) {
        return manifests.stream()
                .flatMap(it -> it.podTemplate().stream())
                .filter(it -> hasLabels(it, labels));
    }

    static boolean hasLabels(JsonNode object, Map<String, String> labels) {
        return Manifest.texts(object.at("/metadata/labels"))
                .entrySet()
                .containsAll(labels.entrySet());
    }
}
