package io.counterflow.schemas.snapshot;

import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.file.AtomicFile;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A snapshot in a file: the same bytes as on the topic, or JSON as written by {@link SnapshotJson}.
 * The content determines the format, not the name.
 */
public final class SnapshotFile {

    private static final int MARKER = 0xC3;

    private SnapshotFile() {}

    /** Reads and verifies a snapshot. */
    public static PolicySnapshot read(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        try {
            return parse(bytes);
        } catch (InvalidSnapshotException e) {
            throw new InvalidSnapshotException(file + ": " + e.getMessage(), e);
        }
    }

    private static PolicySnapshot parse(byte[] bytes) throws InvalidSnapshotException {
        int first = 0;
        while (first < bytes.length && Character.isWhitespace(bytes[first])) {
            first++;
        }
        if (bytes.length > 0 && (bytes[0] & 0xFF) == MARKER) {
            try {
                return SnapshotConversion.fromRecord(
                        WireCodec.of(PolicySnapshotRecord.class).decode(bytes));
            } catch (UndecodableRecordException e) {
                throw new InvalidSnapshotException(String.valueOf(e.getMessage()), e);
            }
        }
        if (first < bytes.length && bytes[first] == '{') {
            return SnapshotJson.read(bytes);
        }
        throw new InvalidSnapshotException(
                "must be a snapshot in Avro's single-object encoding or in JSON, got %d other bytes"
                        .formatted(bytes.length));
    }

    /** Writes a snapshot. The file is complete or does not appear at all. */
    public static void write(Path file, PolicySnapshot snapshot) throws IOException {
        byte[] bytes =
                WireCodec.of(PolicySnapshotRecord.class)
                        .encode(SnapshotConversion.toRecord(snapshot));
        try (AtomicFile output = AtomicFile.create(file)) {
            output.out().write(bytes);
            output.commit();
        }
    }
}
