package io.counterflow.flink.types;

import java.util.Objects;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.jspecify.annotations.Nullable;

/**
 * The Flink type of a generated record. Without it Flink would treat the class as a generic type
 * and serialize it with Kryo.
 */
public final class WireTypeInfo<T extends SpecificRecordBase> extends TypeInformation<T> {

    private static final long serialVersionUID = 1L;

    private final Class<T> type;

    public WireTypeInfo(Class<T> type) {
        this.type = type;
    }

    @Override
    public TypeSerializer<T> createSerializer(SerializerConfig config) {
        return new WireSerializer<>(type);
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
        return other instanceof WireTypeInfo;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof WireTypeInfo<?> that && type.equals(that.type);
    }

    @Override
    public int hashCode() {
        return Objects.hash(type);
    }

    @Override
    public String toString() {
        return "WireTypeInfo(" + type.getSimpleName() + ")";
    }
}
