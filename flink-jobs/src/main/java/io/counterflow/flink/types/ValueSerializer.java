package io.counterflow.flink.types;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/**
 * A serializer of immutable values. Each value starts with the version of its format, so a later
 * format can be read next to this one.
 */
public abstract class ValueSerializer<T> extends TypeSerializerSingleton<T> {

    private static final long serialVersionUID = 1L;

    private static final int NO_BYTES = -1;

    private final int version;

    protected ValueSerializer(int version) {
        this.version = version;
    }

    /** Writes the fields of a value. */
    protected abstract void write(T value, DataOutputView out) throws IOException;

    /** Reads the fields of a value. */
    protected abstract T read(DataInputView in) throws IOException;

    @Override
    public final void serialize(T value, DataOutputView out) throws IOException {
        out.writeByte(version);
        write(value, out);
    }

    @Override
    public final T deserialize(DataInputView in) throws IOException {
        int written = in.readUnsignedByte();
        if (written != version) {
            throw new IOException(
                    "%s must have version %d, got %d"
                            .formatted(getClass().getSimpleName(), version, written));
        }
        return read(in);
    }

    @Override
    public final T deserialize(T reuse, DataInputView in) throws IOException {
        return deserialize(in);
    }

    @Override
    public final void copy(DataInputView in, DataOutputView out) throws IOException {
        serialize(deserialize(in), out);
    }

    @Override
    public final T copy(T from) {
        return from;
    }

    @Override
    public final T copy(T from, T reuse) {
        return from;
    }

    @Override
    @SuppressWarnings("NullAway") // as Flink's serializers of values without a default do
    public final T createInstance() {
        return null;
    }

    @Override
    public final boolean isImmutableType() {
        return true;
    }

    @Override
    public final int getLength() {
        return -1;
    }

    /** Writes bytes that may be absent. */
    public static void writeBytes(byte @Nullable [] bytes, DataOutputView out) throws IOException {
        if (bytes == null) {
            out.writeInt(NO_BYTES);
        } else {
            out.writeInt(bytes.length);
            out.write(bytes);
        }
    }

    public static byte @Nullable [] readBytes(DataInputView in) throws IOException {
        int length = in.readInt();
        if (length == NO_BYTES) {
            return null;
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }

    /** Writes a number that may be absent. */
    public static void writeOptional(@Nullable Double value, DataOutputView out)
            throws IOException {
        out.writeBoolean(value != null);
        if (value != null) {
            out.writeDouble(value);
        }
    }

    public static @Nullable Double readOptional(DataInputView in) throws IOException {
        return in.readBoolean() ? in.readDouble() : null;
    }
}
