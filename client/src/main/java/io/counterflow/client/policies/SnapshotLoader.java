package io.counterflow.client.policies;

import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.WeightsPointer;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/** Loads and verifies snapshots from records, or from the files that records point to. */
final class SnapshotLoader {

    /** Twice the weights of the largest model, because sparse models also have indices. */
    private static final long MAX_FILE = 1L << 30;

    private final WireCodec<PolicySnapshotRecord> codec = WireCodec.of(PolicySnapshotRecord.class);

    /** Decodes a record, whose weights may be in a file. */
    PolicySnapshotRecord decode(byte[] value) throws IOException {
        try {
            return codec.decode(value);
        } catch (UndecodableRecordException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Loads and verifies the snapshot of a record. */
    PolicySnapshot load(PolicySnapshotRecord record) throws IOException {
        WeightsPointer pointer = record.getPointer();
        if (pointer == null) {
            return SnapshotConversion.fromRecord(record);
        }
        SnapshotConversion.verify(record);
        PolicySnapshotRecord stored = decode(read(pointer));
        if (!stored.getChecksum().equals(pointer.getChecksum())) {
            throw new IOException(
                    "the file has another checksum than the record that points to it");
        }
        PolicySnapshot snapshot = SnapshotConversion.fromRecord(stored);
        if (!snapshot.loop().equals(record.getLoop())
                || snapshot.version() != record.getVersion()) {
            throw new IOException("the file holds another snapshot than the record says");
        }
        return snapshot;
    }

    private static byte[] read(WeightsPointer pointer) throws IOException {
        Path file = pathOf(pointer.getUri());
        long size = Files.size(file);
        if (size != pointer.getSize() || size > MAX_FILE) {
            throw new IOException(
                    "the file must have %d bytes, and at most %d, got %d"
                            .formatted(pointer.getSize(), MAX_FILE, size));
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] content = in.readNBytes((int) size);
            if (content.length != size) {
                throw new IOException("the file is cut off");
            }
            return content;
        }
    }

    private static Path pathOf(String uri) throws IOException {
        try {
            URI parsed = URI.create(uri);
            if ("file".equals(parsed.getScheme()) && parsed.getPath() != null) {
                return Path.of(parsed.getPath());
            }
            throw new IOException(
                    "the weights must be in a file: URI that this machine can read, got "
                            + parsed.getScheme()
                            + ":");
        } catch (IllegalArgumentException e) {
            throw new IOException("the URI of the weights is malformed", e);
        }
    }
}
