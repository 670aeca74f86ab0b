package io.counterflow.cli.exports;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Figures;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.text.PlainName;
import io.counterflow.schemas.file.AtomicFile;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.spec.LoopSpecJson;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The snapshots and specs that decided, as files in a directory for {@code audit}. */
final class PolicyFiles {

    private static final int MAX_LOOP_NAME = 200;

    private final Path directory;
    private final LoopSpecJson json = new LoopSpecJson(JsonLimits.defaults());
    private final WireCodec<PolicySnapshotRecord> snapshots =
            WireCodec.of(PolicySnapshotRecord.class);
    private final Set<Path> writtenSnapshots = new TreeSet<>();
    private final Set<Path> writtenSpecs = new TreeSet<>();
    private final List<String> elsewhere = new ArrayList<>();
    private long unreadable;

    private PolicyFiles(Path directory) {
        this.directory = directory;
    }

    /** Creates the directory, or takes one that is empty. */
    static PolicyFiles in(Path directory) throws IOException {
        Files.createDirectories(directory);
        try (Stream<Path> files = Files.list(directory)) {
            if (files.findAny().isPresent()) {
                throw new BadInputException(
                        "--policies must be an empty or a new directory, got " + directory);
            }
        }
        return new PolicyFiles(directory);
    }

    /** Writes a record of the topic of snapshots, unless it is of another loop or no version. */
    void addSnapshot(Selection selection, ConsumerRecord<byte[], byte[]> record)
            throws IOException {
        // Each snapshot has two records, with the keys loop and loop@version.
        String key = record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
        if (record.value() == null || key.indexOf('@') < 0) {
            return;
        }
        try {
            PolicySnapshotRecord snapshot = snapshots.decode(record.value());
            if (!selection.isOf(snapshot.getLoop())) {
                return;
            }
            if (snapshot.getPointer() != null) {
                elsewhere.add(snapshot.getPointer().getUri());
                return;
            }
            Path file = file(snapshot.getLoop(), snapshot.getVersion(), ".snapshot");
            write(file, record.value());
            writtenSnapshots.add(file);
        } catch (UndecodableRecordException | IllegalArgumentException e) {
            unreadable++;
        }
    }

    /** Writes a spec. */
    void addSpec(LoopSpecRecord record) throws IOException {
        LoopSpec spec = LoopSpecConversion.fromRecord(record);
        Path file = file(spec.loop(), spec.version(), ".spec.json");
        write(file, json.write(spec).getBytes(StandardCharsets.UTF_8));
        writtenSpecs.add(file);
    }

    private Path file(String loop, long version, String suffix) {
        PlainName.require(loop, "loop", MAX_LOOP_NAME); // it becomes part of a path
        return directory.resolve("%s-v%d%s".formatted(loop, version, suffix));
    }

    private static void write(Path file, byte[] bytes) throws IOException {
        try (AtomicFile output = AtomicFile.create(file)) {
            output.out().write(bytes);
            output.commit();
        }
    }

    void addTo(FieldReport report) {
        report.field("snapshots", writtenSnapshots.size())
                .field("specs", writtenSpecs.size())
                .field("snapshotsElsewhere", elsewhere)
                .field("unreadableSnapshots", unreadable)
                .line(
                        "%s and %s written to %s",
                        Figures.count(writtenSnapshots.size(), "snapshot", "snapshots"),
                        Figures.count(writtenSpecs.size(), "spec", "specs"),
                        directory);
        if (!elsewhere.isEmpty()) {
            report.line(
                    "large snapshots are in files of their own; copy them to %s as well:",
                    directory);
            elsewhere.forEach(uri -> report.line("  %s", uri));
        }
        if (unreadable > 0) {
            report.line("%s cannot be read", Figures.count(unreadable, "snapshot", "snapshots"));
        }
    }
}
