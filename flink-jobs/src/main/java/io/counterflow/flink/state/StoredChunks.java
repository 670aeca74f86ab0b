package io.counterflow.flink.state;

import io.counterflow.core.log.LoggedExample;
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
 * Examples in keyed state, in chunks by the number of their first example. A chunk has the length
 * and the bytes of each example. The key of the loop must be current. Not thread-safe.
 */
public final class StoredChunks {

    private final MapState<Long, byte[]> stored;
    private final WireCodec<StoredExampleRecord> codec = WireCodec.of(StoredExampleRecord.class);

    StoredChunks(KeyedStateStore store) {
        stored =
                store.getMapState(
                        new MapStateDescriptor<>(
                                "example-chunks",
                                Types.LONG,
                                PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
    }

    void put(long first, List<LoggedExample> examples) throws Exception {
        List<byte[]> encoded = new ArrayList<>(examples.size());
        int length = 0;
        for (LoggedExample example : examples) {
            byte[] bytes = codec.encode(StoredExamples.toRecord(example));
            encoded.add(bytes);
            length += Integer.BYTES + bytes.length;
        }
        ByteBuffer chunk = ByteBuffer.allocate(length);
        for (byte[] bytes : encoded) {
            chunk.putInt(bytes.length).put(bytes);
        }
        stored.put(first, chunk.array());
    }

    /** The chunk that starts with an example; null if there is none. */
    @Nullable List<LoggedExample> get(long first) throws Exception {
        byte[] value = stored.get(first);
        return value == null ? null : decode(ByteBuffer.wrap(value));
    }

    private List<LoggedExample> decode(ByteBuffer chunk) throws UndecodableRecordException {
        List<LoggedExample> examples = new ArrayList<>();
        while (chunk.hasRemaining()) {
            byte[] bytes = new byte[chunk.getInt()];
            chunk.get(bytes);
            examples.add(StoredExamples.fromRecord(codec.decode(bytes)));
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
