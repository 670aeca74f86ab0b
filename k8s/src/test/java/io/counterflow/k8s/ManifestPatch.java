package io.counterflow.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.zjsonpatch.JsonPatch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** One patch of a kustomization: a list of JSON patch operations, or an object to merge. */
final class ManifestPatch {

    private static final Set<String> KNOWN = Set.of("path", "patch", "target");
    private static final Set<String> KNOWN_IN_TARGET = Set.of("kind", "name");

    private final JsonNode patch;
    private final JsonNode target;

    ManifestPatch(Path folder, JsonNode entry) throws IOException {
        refuseOthers(entry, KNOWN);
        refuseOthers(entry.path("target"), KNOWN_IN_TARGET);
        this.patch =
                entry.has("path")
                        ? Yaml.read(folder.resolve(entry.get("path").asText()))
                        : Yaml.parse(entry.get("patch").asText());
        this.target = entry.path("target");
    }

    private static void refuseOthers(JsonNode node, Set<String> known) {
        node.fieldNames()
                .forEachRemaining(
                        field -> {
                            if (!known.contains(field)) {
                                throw new IllegalArgumentException(
                                        "\"%s\" of a patch is not known here".formatted(field));
                            }
                        });
    }

    void apply(List<Manifest> manifests) {
        int patched = 0;
        for (int i = 0; i < manifests.size(); i++) {
            if (isFor(manifests.get(i))) {
                manifests.set(i, patched(manifests.get(i)));
                patched++;
            }
        }
        if (patched == 0) {
            throw new IllegalArgumentException("a patch is for nothing that there is: " + patch);
        }
    }

    private boolean isFor(Manifest manifest) {
        if (target.isMissingNode()) {
            Manifest same = Manifest.of(patch);
            return same.apiVersion().equals(manifest.apiVersion())
                    && same.id().equals(manifest.id());
        }
        return target.path("kind").asText(manifest.kind()).equals(manifest.kind())
                && (!target.has("name") || manifest.name().matches(target.get("name").asText()));
    }

    private Manifest patched(Manifest manifest) {
        if (patch.isArray()) {
            return Manifest.of(JsonPatch.apply(patch, manifest.json()));
        }
        ObjectNode merged = manifest.json().deepCopy();
        merge(merged, patch);
        return new Manifest(merged);
    }

    private static void merge(ObjectNode into, JsonNode patch) {
        patch.properties()
                .forEach(
                        field -> {
                            JsonNode value = field.getValue();
                            JsonNode old = into.path(field.getKey());
                            if (value.isArray() && value.size() > 0 && value.get(0).isObject()) {
                                throw new IllegalArgumentException(
                                        "%s: lists of objects are merged by their keys, which is not done here; say it as a JSON patch"
                                                .formatted(field.getKey()));
                            }
                            if (old instanceof ObjectNode object && value.isObject()) {
                                merge(object, value);
                            } else {
                                into.set(field.getKey(), value);
                            }
                        });
    }
}
