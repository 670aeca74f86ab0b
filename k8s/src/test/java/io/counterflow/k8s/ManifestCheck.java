package io.counterflow.k8s;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** All that can be wrong with manifests and seen without a cluster. */
final class ManifestCheck {

    private final ManifestSchemas schemas;

    ManifestCheck() throws IOException {
        this.schemas = new ManifestSchemas();
    }

    List<String> problems(Cluster cluster) {
        List<String> problems = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (Manifest manifest : cluster.manifests()) {
            problems.addAll(schemas.problems(manifest));
            if (!seen.add(manifest.id())) {
                problems.add(manifest.id() + " is there twice");
            }
            if (manifest.kind().equals("Secret")) {
                problems.add(manifest.id() + ": secrets must not be in manifests");
            }
        }
        problems.addAll(PodReferences.problems(cluster));
        problems.addAll(ObjectReferences.problems(cluster));
        return problems;
    }
}
