package io.counterflow.flink.types;

import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.util.Objects;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/**
 * Writes a generated record as the length and the bytes of its {@link WireCodec}, for records
 * between operators. In state, use {@link RecordState}.
 *
 * <p>Each value contains the fingerprint of its schema, so records of an earlier release are read
 * with the same schema history as an old record on a topic.
 */
final class WireSerializer<T extends SpecificRecordBase> extends TypeSerializer<T> {

    private static final long serialVersionUID = 1L;

    private final Class<T> type;

    private transient @Nullable WireCodec<T> codec; // reuses buffers, so each duplicate has its own

    WireSerializer(Class<T> type) {
        this.type = type;
    }

    public Class<T> type() {
        return type;
    }

    private WireCodec<T> codec() {
        WireCodec<T> existing = codec;
        if (existing == null) {
            existing = WireCodec.of(type);
            codec = existing;
        }
        return existing;
    }

    @Override
    public void serialize(T record, DataOutputView target) throws IOException {
        byte[] bytes = codec().encode(record);
        target.writeInt(bytes.length);
        target.write(bytes);
    }

    @Override
    public T deserialize(DataInputView source) throws IOException {
        byte[] bytes = new byte[source.readInt()];
        source.readFully(bytes);
        return decode(bytes);
    }

    private T decode(byte[] bytes) throws IOException {
        try {
            return codec().decode(bytes);
        } catch (UndecodableRecordException e) {
            throw new IOException("state or network holds no readable " + type.getSimpleName(), e);
        }
    }

    @Override
    public T deserialize(T reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public T copy(T from) {
        try {
            return decode(codec().encode(from));
        } catch (IOException e) {
            throw new IllegalStateException("what was just encoded must decode", e);
        }
    }

    @Override
    public T copy(T from, T reuse) {
        return copy(from);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        byte[] bytes = new byte[source.readInt()];
        source.readFully(bytes); // not target.write(source, n): some targets do not grow for it
        target.writeInt(bytes.length);
        target.write(bytes);
    }

    @Override
    public T createInstance() {
        try {
            return type.getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type.getName() + " needs a public constructor", e);
        }
    }

    @Override
    public boolean isImmutableType() {
        return false;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public TypeSerializer<T> duplicate() {
        return new WireSerializer<>(type);
    }

    @Override
    public TypeSerializerSnapshot<T> snapshotConfiguration() {
        return new WireSerializerSnapshot<>(type);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof WireSerializer<?> that && type.equals(that.type);
    }

    @Override
    public int hashCode() {
        return Objects.hash(type);
    }
}
