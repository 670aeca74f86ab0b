package io.counterflow.client.policies;

import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.WeightsPointer;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Loads and verifies snapshots from records, or from the files that records point to. Their sizes
 * are checked before memory is allocated for them.
 */
final class SnapshotLoader {

    /** What a file may have besides weights: a description and interactions. */
    private static final long MAX_DESCRIPTION = 1L << 20;

    private final PolicyLimits limits;
    private final SnapshotDirectory directory;
    private final WireCodec<PolicySnapshotRecord> codec = WireCodec.of(PolicySnapshotRecord.class);

    SnapshotLoader(PolicyLimits limits, SnapshotDirectory directory) {
        this.limits = limits;
        this.directory = directory;
    }

    /** Decodes a record, whose weights may be in a file. */
    PolicySnapshotRecord decode(byte[] value) throws IOException {
        try {
            return codec.decode(value);
        } catch (UndecodableRecordException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Loads the record that has the weights of a snapshot, and verifies it. */
    PolicySnapshotRecord load(PolicySnapshotRecord record) throws IOException {
        SnapshotConversion.verify(record);
        WeightsPointer pointer = record.getPointer();
        if (pointer == null) {
            limits.requireVersion(SnapshotConversion.parameterCount(record));
            return record;
        }
        PolicySnapshotRecord stored = decode(read(pointer));
        if (!stored.getChecksum().equals(pointer.getChecksum())) {
            throw new IOException(
                    "the file has another checksum than the record that points to it");
        }
        if (!stored.getLoop().equals(record.getLoop())
                || stored.getVersion() != record.getVersion()) {
            throw new IOException("the file holds another snapshot than the record says");
        }
        limits.requireVersion(SnapshotConversion.parameterCount(stored));
        SnapshotConversion.verify(stored);
        return stored;
    }

    private byte[] read(WeightsPointer pointer) throws IOException {
        Path file = directory.file(pointer.getUri());
        long size = Files.size(file);
        if (size != pointer.getSize()) {
            throw new IOException(
                    "the file must have %d bytes, got %d".formatted(pointer.getSize(), size));
        }
        long maxSize = 2 * limits.loopBytes() + MAX_DESCRIPTION; // sparse models have indices
        if (size > Math.min(maxSize, Integer.MAX_VALUE)) {
            throw new IOException(
                    "the file must have at most %d bytes (serving.max-loop-size), got %d"
                            .formatted(maxSize, size));
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] content = in.readNBytes((int) size);
            if (content.length != size) {
                throw new IOException("the file is cut off");
            }
            return content;
        }
    }
}
