package io.counterflow.schemas.registry;

import io.counterflow.schemas.wire.WireHeader;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * Replaces headers of Confluent's serializers by those of the single-object encoding. Any other
 * value stays as it is: records that were written before the encoding was changed can be read, and
 * what nobody can read becomes a dead letter. Safe for use by several threads.
 */
final class ConfluentReader implements Deserializer<byte[]> {

    /** Limit on the ids that are remembered. A deployment has about twenty. */
    private static final int MAX_IDS = 1_000;

    /** A schema may be new, and a replica of the registry may not know it yet. */
    private static final long FORGET_NANOS = Duration.ofSeconds(10).toNanos();

    private final IntFunction<Optional<String>> schemas;
    private final Map<Integer, byte[]> headers = new ConcurrentHashMap<>();
    private final Map<Integer, Long> unknown = new ConcurrentHashMap<>();

    /**
     * @param schemas the schema with an id in the registry
     */
    ConfluentReader(IntFunction<Optional<String>> schemas) {
        this.schemas = schemas;
    }

    @Override
    @SuppressWarnings("NullAway") // null: a tombstone, as Kafka has it
    public byte[] deserialize(String topic, byte @Nullable [] value) {
        if (value == null
                || value.length < ConfluentWriter.HEADER_BYTES
                || value[0] != ConfluentWriter.MAGIC) {
            return value;
        }
        byte[] header = header(ByteBuffer.wrap(value).getInt(1));
        if (header == null) {
            return value;
        }
        int body = value.length - ConfluentWriter.HEADER_BYTES;
        return ByteBuffer.allocate(header.length + body)
                .put(header)
                .put(value, ConfluentWriter.HEADER_BYTES, body)
                .array();
    }

    /** The header for a schema; null if the registry does not have it. */
    private byte @Nullable [] header(int id) {
        byte[] known = headers.get(id);
        Long since = unknown.get(id);
        if (known != null || (since != null && System.nanoTime() - since < FORGET_NANOS)) {
            return known;
        }
        Optional<byte[]> found = schemas.apply(id).flatMap(ConfluentReader::header);
        if (headers.size() + unknown.size() >= MAX_IDS) {
            headers.clear();
            unknown.clear();
        }
        if (found.isPresent()) {
            headers.put(id, found.get());
            unknown.remove(id);
        } else {
            unknown.put(id, System.nanoTime());
        }
        return found.orElse(null);
    }

    private static Optional<byte[]> header(String schema) {
        try {
            return Optional.of(WireHeader.of(new Schema.Parser().parse(schema)));
        } catch (AvroRuntimeException e) {
            return Optional.empty(); // for example with references to other schemas
        }
    }
}
