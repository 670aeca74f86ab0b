package io.counterflow.flink.types;

import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.jspecify.annotations.Nullable;

/**
 * A generated record in keyed state.
 *
 * <p>The state backend stores the bytes of its {@link WireCodec}, and the record is decoded when
 * the value of a key is read. So bytes that this release cannot decode affect one key, while a
 * serializer that fails would fail the task, with some backends already when it is restored.
 */
public final class RecordState<T extends SpecificRecordBase> {

    private final ValueState<byte[]> stored;
    private final WireCodec<T> codec;

    public RecordState(KeyedStateStore store, String name, Class<T> type) {
        this.stored =
                store.getState(
                        new ValueStateDescriptor<>(
                                name, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
        this.codec = WireCodec.of(type);
    }

    /**
     * The record of the current key; null if there is none.
     *
     * @throws IOException if the state backend fails
     * @throws UndecodableRecordException if the backend has bytes that are not such a record
     */
    public @Nullable T value() throws IOException, UndecodableRecordException {
        byte[] bytes = stored.value();
        return bytes == null ? null : codec.decode(bytes);
    }

    public void update(T record) throws IOException {
        stored.update(codec.encode(record));
    }

    public void clear() {
        stored.clear();
    }
}
