package io.counterflow.e2e.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.e2e.shared.Program;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** The clusters that there are manifests for, rendered by kubectl. */
enum Overlay {
    DEV,
    PRODUCTION;

    private static final String REQUIRED = "COUNTERFLOW_REQUIRE_KUBECTL";

    private static final Map<Overlay, Cluster> RENDERED = new EnumMap<>(Overlay.class);

    Cluster render() throws IOException, InterruptedException {
        Cluster cluster = RENDERED.get(this);
        if (cluster == null) {
            cluster = new Cluster(Yaml.documents(kustomize()).stream().map(Manifest::of).toList());
            RENDERED.put(this, cluster);
        }
        return cluster;
    }

    private String kustomize() throws IOException, InterruptedException {
        String help = "install kubectl 1.27 or newer to run the tests of the manifests";
        Program kubectl = Program.find("kubectl", REQUIRED, help);
        String version = kubectl.run("version", "--client").output();
        Program.require(version.contains("Kustomize Version: v5"), REQUIRED, help);
        Path folder = Path.of("..", "k8s", "overlays", name().toLowerCase(Locale.ROOT));
        Program.Result result = kubectl.run("kustomize", folder.toString());
        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).doesNotContain("# Warning"); // of deprecated fields
        return result.output();
    }
}
