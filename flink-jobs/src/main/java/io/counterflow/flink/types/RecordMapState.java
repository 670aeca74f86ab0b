package io.counterflow.flink.types;

import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.jspecify.annotations.Nullable;

/** Generated records by number in keyed state. They are decoded as in {@link RecordState}. */
public final class RecordMapState<T extends SpecificRecordBase> {

    private final MapState<Long, byte[]> stored;
    private final WireCodec<T> codec;

    public RecordMapState(KeyedStateStore store, String name, Class<T> type) {
        this.stored =
                store.getMapState(
                        new MapStateDescriptor<>(
                                name,
                                Types.LONG,
                                PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
        this.codec = WireCodec.of(type);
    }

    /**
     * The record with a number; null if there is none.
     *
     * @throws UndecodableRecordException if the backend has bytes that are not such a record
     * @throws Exception if the state backend fails
     */
    public @Nullable T get(long number) throws Exception {
        byte[] bytes = stored.get(number);
        return bytes == null ? null : codec.decode(bytes);
    }

    /** All records of the current key, by number. Throws as {@link #get}. */
    public NavigableMap<Long, T> all() throws Exception {
        NavigableMap<Long, T> all = new TreeMap<>();
        for (Map.Entry<Long, byte[]> entry : stored.entries()) {
            all.put(entry.getKey(), codec.decode(entry.getValue()));
        }
        return all;
    }

    /** The numbers of all records of the current key, in any order. */
    public Iterable<Long> numbers() throws Exception {
        return stored.keys();
    }

    public void put(long number, T record) throws Exception {
        stored.put(number, codec.encode(record));
    }

    public void remove(long number) throws Exception {
        stored.remove(number);
    }

    public void clear() {
        stored.clear();
    }
}
