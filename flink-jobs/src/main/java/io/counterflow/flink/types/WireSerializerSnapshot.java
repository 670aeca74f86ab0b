package io.counterflow.flink.types;

import java.io.IOException;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/**
 * The snapshot of a {@link WireSerializer} in savepoints: the record class. Values contain the
 * fingerprint of their schema, so a release can read all values whose schema is in its history.
 */
public final class WireSerializerSnapshot<T extends SpecificRecordBase>
        implements TypeSerializerSnapshot<T> {

    private static final int VERSION = 1;

    private @Nullable Class<T> type; // null until it is read

    /** Called by Flink, which then reads the class. */
    public WireSerializerSnapshot() {}

    WireSerializerSnapshot(Class<T> type) {
        this.type = type;
    }

    @Override
    public int getCurrentVersion() {
        return VERSION;
    }

    @Override
    public void writeSnapshot(DataOutputView out) throws IOException {
        out.writeUTF(known().getName());
    }

    @Override
    public void readSnapshot(int version, DataInputView in, ClassLoader loader) throws IOException {
        if (version != VERSION) {
            throw new IOException("version must be %d, got %d".formatted(VERSION, version));
        }
        String name = in.readUTF();
        try {
            @SuppressWarnings("unchecked") // checked to be a record class
            Class<T> read =
                    (Class<T>)
                            Class.forName(name, false, loader).asSubclass(SpecificRecordBase.class);
            type = read;
        } catch (ClassNotFoundException | ClassCastException e) {
            throw new IOException("no generated record class is called " + name, e);
        }
    }

    @Override
    public TypeSerializer<T> restoreSerializer() {
        return new WireSerializer<>(known());
    }

    @Override
    public TypeSerializerSchemaCompatibility<T> resolveSchemaCompatibility(
            TypeSerializerSnapshot<T> old) {
        return old instanceof WireSerializerSnapshot<T> that && known().equals(that.known())
                ? TypeSerializerSchemaCompatibility.compatibleAsIs()
                : TypeSerializerSchemaCompatibility.incompatible();
    }

    private Class<T> known() {
        if (type == null) {
            throw new IllegalStateException("the snapshot has not been read yet");
        }
        return type;
    }
}
