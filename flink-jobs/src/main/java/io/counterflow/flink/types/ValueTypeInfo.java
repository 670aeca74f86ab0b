package io.counterflow.flink.types;

import java.util.Objects;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.jspecify.annotations.Nullable;

/**
 * The Flink type of values that have a serializer of their own. Without it Flink would treat the
 * class as a generic type and serialize it with Kryo.
 */
public final class ValueTypeInfo<T> extends TypeInformation<T> {

    private static final long serialVersionUID = 1L;

    private final Class<T> type;
    private final TypeSerializer<T> serializer;

    public ValueTypeInfo(Class<T> type, TypeSerializer<T> serializer) {
        this.type = type;
        this.serializer = serializer;
    }

    /** The type of a generated record. */
    public static <T extends SpecificRecordBase> ValueTypeInfo<T> ofRecord(Class<T> type) {
        return new ValueTypeInfo<>(type, new WireSerializer<>(type));
    }

    @Override
    public TypeSerializer<T> createSerializer(SerializerConfig config) {
        return serializer.duplicate();
    }

    @Override
    public Class<T> getTypeClass() {
        return type;
    }

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false;
    }

    @Override
    public int getArity() {
        return 1;
    }

    @Override
    public int getTotalFields() {
        return 1;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof ValueTypeInfo;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ValueTypeInfo<?> that
                && type.equals(that.type)
                && serializer.equals(that.serializer);
    }

    @Override
    public int hashCode() {
        return Objects.hash(type, serializer);
    }

    @Override
    public String toString() {
        return "ValueTypeInfo(" + type.getSimpleName() + ")";
    }
}
