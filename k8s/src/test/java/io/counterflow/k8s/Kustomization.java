package io.counterflow.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Renders a folder as kustomize does, as far as our folders need it, so that they can be tested on
 * machines without kustomize. What it does not know it refuses; and where kustomize is there, a
 * test compares the two.
 */
final class Kustomization {

    private static final Set<String> KNOWN =
            Set.of(
                    "apiVersion",
                    "kind",
                    "resources",
                    "configMapGenerator",
                    "configurations",
                    "images",
                    "patches");

    private final Path folder;
    private final JsonNode file;
    private final List<Manifest> manifests = new ArrayList<>();

    private Kustomization(Path folder) throws IOException {
        this.folder = folder;
        this.file = Yaml.read(folder.resolve("kustomization.yaml"));
        file.fieldNames()
                .forEachRemaining(
                        field -> {
                            if (!KNOWN.contains(field)) {
                                throw new IllegalArgumentException(
                                        "%s: \"%s\" is not known here".formatted(folder, field));
                            }
                        });
    }

    static List<Manifest> render(Path folder) throws IOException {
        Kustomization kustomization = new Kustomization(folder);
        kustomization.resources();
        Map<String, String> generated = kustomization.generate();
        for (JsonNode patch : kustomization.file.path("patches")) {
            new ManifestPatch(folder, patch).apply(kustomization.manifests);
        }
        kustomization.nameImages();
        kustomization.nameConfigMaps(generated);
        return kustomization.manifests;
    }

    private void resources() throws IOException {
        for (JsonNode resource : file.path("resources")) {
            Path path = folder.resolve(resource.asText()).normalize();
            if (Files.isDirectory(path)) {
                manifests.addAll(render(path));
            } else {
                for (JsonNode document : Yaml.documents(Files.readString(path))) {
                    manifests.add(Manifest.of(document));
                }
            }
        }
    }

    /** Names of config maps, and under which names they were made: with a hash of their content. */
    private Map<String, String> generate() throws IOException {
        Map<String, String> names = new HashMap<>();
        for (JsonNode generator : file.path("configMapGenerator")) {
            ObjectNode data = JsonNodeFactory.instance.objectNode();
            for (JsonNode source : generator.path("files")) {
                data.put(source.asText(), Files.readString(folder.resolve(source.asText())));
            }
            String name = generator.get("name").asText();
            names.put(name, name + "-" + hash(data.toString()));
            ObjectNode made = JsonNodeFactory.instance.objectNode();
            made.put("apiVersion", "v1").put("kind", "ConfigMap").set("data", data);
            made.putObject("metadata")
                    .put("name", names.get(name))
                    .put("namespace", generator.path("namespace").asText());
            manifests.add(new Manifest(made));
        }
        return names;
    }

    private static String hash(String content) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(content.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, 10);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Where custom resources have such a field: what this kustomization is told of them. */
    private List<JsonNode> fields(String transformer) throws IOException {
        List<JsonNode> fields = new ArrayList<>();
        for (JsonNode configuration : file.path("configurations")) {
            JsonNode told = Yaml.read(folder.resolve(configuration.asText())).path(transformer);
            for (JsonNode field : told) {
                if (field.has("fieldSpecs")) {
                    field.get("fieldSpecs").forEach(fields::add);
                } else {
                    fields.add(field);
                }
            }
        }
        return fields;
    }

    private void nameImages() throws IOException {
        List<JsonNode> custom = fields("images");
        for (JsonNode image : file.path("images")) {
            String name = image.get("name").asText();
            String tagged = name + ":" + image.get("newTag").asText();
            for (Manifest manifest : manifests) {
                for (JsonNode container : manifest.at("/spec/template/spec/containers")) {
                    rename((ObjectNode) container, "image", Map.of(name, tagged));
                }
                for (JsonNode field : custom) {
                    if (field.get("kind").asText().equals(manifest.kind())) {
                        renameAt(
                                manifest.json(),
                                List.of(field.get("path").asText().split("/", -1)),
                                Map.of(name, tagged));
                    }
                }
            }
        }
    }

    private void nameConfigMaps(Map<String, String> generated) throws IOException {
        List<JsonNode> custom = fields("nameReference");
        for (Manifest manifest : manifests) {
            List<String> volume = List.of("volumes", "configMap", "name");
            renameAt(manifest.at("/spec/template/spec"), volume, generated);
            for (JsonNode field : custom) {
                if (field.get("kind").asText().equals(manifest.kind())) {
                    renameAt(
                            manifest.json(),
                            List.of(field.get("path").asText().split("/", -1)),
                            generated);
                }
            }
        }
    }

    /** Follows a path, into every element of lists on the way. */
    private static void renameAt(JsonNode node, List<String> path, Map<String, String> names) {
        if (node.isArray()) {
            node.forEach(element -> renameAt(element, path, names));
        } else if (node instanceof ObjectNode object && path.size() == 1) {
            rename(object, path.get(0), names);
        } else if (node.isObject()) {
            renameAt(node.path(path.get(0)), path.subList(1, path.size()), names);
        }
    }

    private static void rename(ObjectNode object, String field, Map<String, String> names) {
        String name = names.get(object.path(field).asText());
        if (name != null) {
            object.set(field, TextNode.valueOf(name));
        }
    }
}
