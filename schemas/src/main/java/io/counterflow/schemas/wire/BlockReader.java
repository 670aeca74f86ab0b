package io.counterflow.schemas.wire;

import java.io.IOException;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificRecordBase;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of a block of an Avro container file that was written with any known version of
 * their schema.
 */
public final class BlockReader<T extends SpecificRecordBase> {

    private final SpecificDatumReader<T> reader;
    private @Nullable BinaryDecoder decoder;

    private BlockReader(SpecificDatumReader<T> reader) {
        this.reader = reader;
    }

    /**
     * A reader of records that were written with this schema; empty if it is not a known version.
     * Other schemas are not trusted: a schema that refers to itself could keep a reader busy for
     * ever.
     */
    public static <T extends SpecificRecordBase> Optional<BlockReader<T>> of(
            Class<T> type, Schema written) {
        SchemaHistory history = SchemaHistory.of(type);
        return history.withFingerprint(SchemaHistory.fingerprint(written))
                .map(
                        known ->
                                new BlockReader<>(
                                        new SpecificDatumReader<>(
                                                known, history.current(), RecordModel.of(type))));
    }

    /** Starts reading a block. */
    public void start(byte[] block) {
        decoder = DecoderFactory.get().binaryDecoder(block, decoder);
    }

    /** Whether the block has been read to its end. */
    public boolean isEnd() throws IOException {
        return decoder == null || decoder.isEnd();
    }

    @SuppressWarnings("NullAway") // null: no record to reuse
    public T next() throws UndecodableRecordException {
        if (decoder == null) {
            throw new IllegalStateException("no block was started");
        }
        try {
            return reader.read(null, decoder);
        } catch (IOException | RuntimeException e) { // Avro throws many kinds for invalid bytes
            throw new UndecodableRecordException(
                    UndecodableRecordException.Reason.MALFORMED,
                    "the block does not fit the file's schema",
                    e);
        }
    }
}
