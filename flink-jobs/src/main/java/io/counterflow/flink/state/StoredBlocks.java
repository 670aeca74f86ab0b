package io.counterflow.flink.state;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.schemas.record.StoredExampleRecord;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of examples in keyed state, by the number of their first example. A block has the length
 * and the bytes of each example. The key of the loop must be current. Not thread-safe.
 */
final class StoredBlocks {

    private final MapState<Long, byte[]> stored;
    private final WireCodec<StoredExampleRecord> codec = WireCodec.of(StoredExampleRecord.class);

    StoredBlocks(KeyedStateStore store, String name) {
        stored =
                store.getMapState(
                        new MapStateDescriptor<>(
                                name,
                                Types.LONG,
                                PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
    }

    /**
     * Stores the examples of a log from a position on.
     *
     * @param first the number of the first of them
     */
    void put(long first, ExampleLog examples, int from) throws Exception {
        List<byte[]> encoded = new ArrayList<>(examples.size() - from);
        int length = 0;
        for (int i = from; i < examples.size(); i++) {
            byte[] bytes = codec.encode(StoredExamples.toRecord(examples.example(i)));
            encoded.add(bytes);
            length += Integer.BYTES + bytes.length;
        }
        ByteBuffer block = ByteBuffer.allocate(length);
        for (byte[] bytes : encoded) {
            block.putInt(bytes.length).put(bytes);
        }
        stored.put(first, block.array());
    }

    /**
     * The block that starts with an example; null if there is none.
     *
     * @throws RuntimeException if there is one that cannot be decoded
     * @throws Exception if the state backend fails
     */
    @Nullable ExampleLog get(long first) throws Exception {
        byte[] value = stored.get(first);
        return value == null ? null : decode(ByteBuffer.wrap(value));
    }

    private ExampleLog decode(ByteBuffer block) {
        ExampleLog examples = new ExampleLog();
        while (block.hasRemaining()) {
            int length = block.getInt();
            if (length < 0 || length > block.remaining()) {
                throw new IllegalStateException(
                        "an example must have at most %d bytes, got %d"
                                .formatted(block.remaining(), length));
            }
            byte[] bytes = new byte[length];
            block.get(bytes);
            try {
                examples.add(StoredExamples.fromRecord(codec.decode(bytes)));
            } catch (UndecodableRecordException e) {
                throw new IllegalStateException("an example cannot be decoded", e);
            }
        }
        return examples;
    }

    void remove(long first) throws Exception {
        stored.remove(first);
    }

    void clear() {
        stored.clear();
    }
}
