package io.counterflow.schemas.registry;

import io.counterflow.schemas.wire.WireHeader;
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Replaces headers of the single-object encoding by those of Confluent's serializers. It knows all
 * ids from the start, and so does not block. Safe for use by several threads.
 */
final class ConfluentWriter implements Serializer<byte[]> {

    static final byte MAGIC = 0;
    static final int HEADER_BYTES = 5;

    private final Map<String, Map<Long, Integer>> ids;

    /**
     * @param ids the id of each schema, by topic and fingerprint
     */
    ConfluentWriter(Map<String, Map<Long, Integer>> ids) {
        this.ids = ids;
    }

    @Override
    @SuppressWarnings("NullAway") // null: a tombstone, as Kafka has it
    public byte[] serialize(String topic, byte @Nullable [] value) {
        if (value == null) {
            return null;
        }
        Integer id =
                WireHeader.isPresent(value)
                        ? ids.getOrDefault(topic, Map.of()).get(WireHeader.fingerprint(value))
                        : null;
        if (id == null) {
            throw new SerializationException("a record of an unknown schema for " + topic);
        }
        int body = value.length - WireHeader.BYTES;
        return ByteBuffer.allocate(HEADER_BYTES + body)
                .put(MAGIC)
                .putInt(id)
                .put(value, WireHeader.BYTES, body)
                .array();
    }
}
