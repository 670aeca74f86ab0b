package io.counterflow.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where kubectl is there, it renders the same as the tests do. */
@Timeout(60)
final class KustomizeIT {

    @ParameterizedTest
    @EnumSource
    void kubectlRendersTheSame(Overlay overlay) throws IOException, InterruptedException {
        Program kubectl =
                Program.find(
                        "kubectl",
                        "COUNTERFLOW_REQUIRE_KUBECTL",
                        "install kubectl 1.27 or newer to compare it with how tests render");
        JsonNode version = Yaml.parse(kubectl.run("version", "--client", "-o", "yaml").output());
        assumeTrue(
                version.path("kustomizeVersion").asText().matches("v[5-9]\\..*"),
                "kubectl is too old to compare with: kustomize must be at least 5, got "
                        + version.path("kustomizeVersion"));
        Program.Result rendered = kubectl.run("kustomize", overlay.folder().toString());
        assertThat(rendered.exitCode()).as(rendered.output()).isZero();
        List<Manifest> manifests = new ArrayList<>();
        Yaml.documents(rendered.output()).forEach(it -> manifests.add(Manifest.of(it)));
        assertThat(byId(new Cluster(manifests))).isEqualTo(byId(overlay.render()));
    }

    /** Without the hashes of generated config maps, which are made in another way here. */
    private static Map<String, JsonNode> byId(Cluster cluster) throws IOException {
        List<String> generated = cluster.all("ConfigMap").map(Manifest::name).toList();
        assertThat(generated).hasSize(2);
        Map<String, JsonNode> byId = new TreeMap<>();
        for (Manifest manifest : cluster.manifests()) {
            String text = manifest.json().toString();
            for (String name : generated) {
                text = text.replace(name, name.substring(0, name.length() - 11));
            }
            Manifest plain = Manifest.of(Yaml.parse(text));
            byId.put(plain.id(), plain.json());
        }
        return byId;
    }
}
