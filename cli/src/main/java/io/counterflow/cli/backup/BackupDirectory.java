package io.counterflow.cli.backup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.counterflow.cli.console.BadInputException;
import io.counterflow.schemas.file.AtomicFile;
import io.counterflow.schemas.topics.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A backup: a file for each topic, and {@code backup.json}, which is written last. */
final class BackupDirectory {

    private static final String MANIFEST = "backup.json";
    private static final int FORMAT = 1;
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private final Path path;

    BackupDirectory(Path path) {
        this.path = path;
    }

    /**
     * What was copied of a topic.
     *
     * @param ends the end of each partition: the offset of the next record
     */
    record Copied(long records, List<Long> ends) {
        Copied {
            ends = List.copyOf(ends);
        }
    }

    /**
     * The content of a backup.
     *
     * @param prefix prefix of the names of the topics
     */
    record Manifest(Instant time, String prefix, Map<Topic, Copied> topics) {
        Manifest {
            topics = new EnumMap<>(topics);
        }
    }

    /** Creates it, or takes a directory that is empty. */
    void create() throws IOException {
        Files.createDirectories(path);
        try (Stream<Path> files = Files.list(path)) {
            if (files.findAny().isPresent()) {
                throw new BadInputException(
                        "--out must be an empty or a new directory, got " + path);
            }
        }
    }

    Path file(Topic topic) {
        return path.resolve(topic.suffix() + ".avro");
    }

    void complete(Manifest manifest) throws IOException {
        ObjectNode root = JSON.createObjectNode();
        root.put("format", FORMAT);
        root.put("time", manifest.time().toString());
        root.put("prefix", manifest.prefix());
        ObjectNode topics = root.putObject("topics");
        manifest.topics()
                .forEach(
                        (topic, copied) -> {
                            ObjectNode node = topics.putObject(topic.suffix());
                            node.put("records", copied.records());
                            ArrayNode ends = node.putArray("ends");
                            copied.ends().forEach(ends::add);
                        });
        try (AtomicFile file = AtomicFile.create(path.resolve(MANIFEST))) {
            file.out().write(JSON.writeValueAsBytes(root));
            file.commit();
        }
    }

    /**
     * Reads what a complete backup has.
     *
     * @throws BadInputException if it is not complete, or of a later version
     */
    Manifest manifest() throws IOException {
        Path file = path.resolve(MANIFEST);
        if (!Files.isRegularFile(file)) {
            throw new BadInputException(
                    "--in must be the directory of a complete backup, but %s is missing"
                            .formatted(file));
        }
        JsonNode root = JSON.readTree(file.toFile());
        int format = root.path("format").asInt();
        if (format != FORMAT) {
            throw new BadInputException(
                    "%s: format must be %d, got %d; use the version that wrote it"
                            .formatted(file, FORMAT, format));
        }
        Map<Topic, Copied> topics = new EnumMap<>(Topic.class);
        for (Topic topic : Topic.values()) {
            JsonNode node = root.path("topics").path(topic.suffix());
            if (node.isMissingNode()) {
                continue; // a topic of a later version than that of the backup
            }
            List<Long> ends = new ArrayList<>();
            node.path("ends").forEach(end -> ends.add(end.asLong()));
            topics.put(topic, new Copied(node.path("records").asLong(), ends));
        }
        return new Manifest(
                Instant.parse(root.path("time").asText()), root.path("prefix").asText(), topics);
    }
}
