package io.counterflow.schemas.wire;

import io.counterflow.schemas.wire.UndecodableRecordException.Reason;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DatumWriter;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificRecordBase;
import org.jspecify.annotations.Nullable;

/**
 * Records as bytes in Avro's single-object encoding: the marker {@code C3 01}, the CRC-64-AVRO
 * fingerprint of the writer's schema as 8 little-endian bytes, then the record's binary form.
 *
 * <p>Decoding is safe for untrusted bytes: the result is a record or an {@link
 * UndecodableRecordException}, and the allocated memory is at most a small multiple of their size.
 * Records of earlier schema versions are converted to the current version.
 *
 * <p>Buffers are reused, so a codec is not thread safe.
 */
public final class WireCodec<T extends SpecificRecordBase> {

    private final String name;
    private final SchemaHistory history;
    private final RecordModel model;
    private final byte[] header;
    private final DatumWriter<T> writer;
    private final Map<Long, SpecificDatumReader<T>> readers = new HashMap<>();
    private final ByteArrayOutputStream buffer = new ByteArrayOutputStream(1024);
    private final BinaryEncoder encoder;
    private @Nullable BinaryDecoder decoder;

    private WireCodec(Class<T> type, SchemaHistory history) {
        this.history = history;
        name = type.getSimpleName();
        model = RecordModel.of(type);
        header = WireHeader.of(history.currentFingerprint()); // computing it is slow
        @SuppressWarnings("unchecked") // Avro's factory method is not generic
        DatumWriter<T> typed = RecordModel.forWriting(type).createDatumWriter(history.current());
        writer = typed;
        encoder = EncoderFactory.get().binaryEncoder(buffer, null);
    }

    public static <T extends SpecificRecordBase> WireCodec<T> of(Class<T> type) {
        return of(type, SchemaHistory.of(type));
    }

    static <T extends SpecificRecordBase> WireCodec<T> of(Class<T> type, SchemaHistory history) {
        return new WireCodec<>(type, history);
    }

    public byte[] encode(T record) {
        buffer.reset();
        buffer.write(header, 0, WireHeader.BYTES);
        try {
            writer.write(record, encoder);
            encoder.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        } catch (RuntimeException e) {
            // Discards buffered bytes of the failed record.
            EncoderFactory.get().binaryEncoder(buffer, encoder);
            throw e;
        }
        return buffer.toByteArray();
    }

    /** Whether the bytes start with the fingerprint of a known schema. The rest is not checked. */
    public boolean accepts(byte[] bytes) {
        return WireHeader.isPresent(bytes)
                && history.withFingerprint(WireHeader.fingerprint(bytes)).isPresent();
    }

    /**
     * The position after the header, if the bytes start with the fingerprint of the current schema;
     * -1 otherwise.
     */
    int currentBody(byte[] bytes) {
        return Arrays.mismatch(bytes, header) == WireHeader.BYTES ? WireHeader.BYTES : -1;
    }

    /** Decodes a record. The bytes are not modified and not kept. */
    public T decode(byte[] bytes) throws UndecodableRecordException {
        if (!WireHeader.isPresent(bytes)) {
            throw new UndecodableRecordException(
                    Reason.NOT_A_RECORD,
                    "%s must start with C3 01 and a schema's fingerprint, got %d other bytes"
                            .formatted(name, bytes.length));
        }
        SpecificDatumReader<T> reader = readerOf(WireHeader.fingerprint(bytes));
        BinaryDecoder body =
                DecoderFactory.get()
                        .binaryDecoder(
                                bytes, WireHeader.BYTES, bytes.length - WireHeader.BYTES, decoder);
        decoder = body;
        try {
            T record = read(reader, body);
            if (!body.isEnd()) {
                throw new UndecodableRecordException(
                        Reason.TRAILING_BYTES, name + " has bytes after its end");
            }
            return record;
        } catch (EOFException e) {
            throw new UndecodableRecordException(
                    Reason.TRUNCATED,
                    "%s ends too early, after %d bytes".formatted(name, bytes.length),
                    e);
        } catch (IOException | RuntimeException e) { // Avro throws many kinds for invalid bytes
            throw new UndecodableRecordException(
                    Reason.MALFORMED, name + " does not fit the schema that it names", e);
        }
    }

    @SuppressWarnings("NullAway") // null: no record to reuse
    private T read(SpecificDatumReader<T> reader, BinaryDecoder body) throws IOException {
        return reader.read(null, body);
    }

    private SpecificDatumReader<T> readerOf(long fingerprint) throws UndecodableRecordException {
        SpecificDatumReader<T> known = readers.get(fingerprint);
        if (known != null) {
            return known;
        }
        Schema written =
                history.withFingerprint(fingerprint)
                        .orElseThrow(
                                () ->
                                        new UndecodableRecordException(
                                                Reason.UNKNOWN_SCHEMA,
                                                "no known version of %s has the fingerprint %s"
                                                        .formatted(
                                                                name,
                                                                SchemaHistory.hex(fingerprint))));
        SpecificDatumReader<T> reader =
                new SpecificDatumReader<>(written, history.current(), model);
        readers.put(fingerprint, reader);
        return reader;
    }
}
