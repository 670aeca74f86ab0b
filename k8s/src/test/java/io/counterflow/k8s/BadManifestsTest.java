package io.counterflow.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.zjsonpatch.JsonPatch;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each mistake of {@code bad/mistakes.yaml}, made in the production overlay, is found, and nothing
 * else is.
 */
final class BadManifestsTest {

    private static final List<String> KINDS_OF_MISTAKES =
            List.of("unknown field", "wrong type", "missing reference", "missing field");

    static Stream<JsonNode> mistakes() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(
                        BadManifestsTest.class.getResourceAsStream("bad/mistakes.yaml"))) {
            List<JsonNode> mistakes = new ArrayList<>();
            Yaml.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                    .forEach(mistakes::add);
            assertThat(mistakes.stream().map(it -> it.get("mistake").asText()))
                    .containsAll(KINDS_OF_MISTAKES);
            return mistakes.stream();
        }
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeIsFound(JsonNode mistake) throws IOException {
        List<Manifest> manifests = new ArrayList<>(Overlay.PRODUCTION.render().manifests());
        String id = mistake.get("in").asText();
        boolean made = false;
        for (int i = 0; i < manifests.size(); i++) {
            if (manifests.get(i).id().equals(id)) {
                ObjectNode changed =
                        (ObjectNode) JsonPatch.apply(mistake.get("patch"), manifests.get(i).json());
                manifests.set(i, new Manifest(changed));
                made = true;
            }
        }
        assertThat(made).as("there is a " + id).isTrue();
        assertThat(new ManifestCheck().problems(new Cluster(manifests)))
                .singleElement()
                .asString()
                .startsWith(id + ": " + mistake.get("found").asText());
    }
}
