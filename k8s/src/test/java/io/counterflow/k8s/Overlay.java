package io.counterflow.k8s;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** The clusters that manifests are for. */
enum Overlay {
    DEV,
    PRODUCTION;

    Path folder() {
        return Path.of("overlays", name().toLowerCase(Locale.ROOT));
    }

    Cluster render() throws IOException {
        return new Cluster(Kustomization.render(folder()));
    }
}
