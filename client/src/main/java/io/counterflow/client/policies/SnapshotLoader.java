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

/** Makes snapshots of records, from the file that a record may point to, and verifies them. */
final class SnapshotLoader {

    /** Twice the weights of the largest model, as sparse ones have indices too. */
    private static final long MAX_FILE = 1L << 30;

    private final WireCodec<PolicySnapshotRecord> codec = WireCodec.of(PolicySnapshotRecord.class);

    /** What bytes on the topic say about a snapshot; its weights may lie elsewhere. */
    PolicySnapshotRecord decode(byte[] value) throws IOException {
        try {
            return codec.decode(value);
        } catch (UndecodableRecordException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** The snapshot of a record; refuses what does not verify. */
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
                    "the weights must lie at a file: address that this machine sees, got "
                            + parsed.getScheme()
                            + ":");
        } catch (IllegalArgumentException e) {
            throw new IOException("the weights' address is none", e);
        }
    }
}
