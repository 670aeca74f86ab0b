package io.counterflow.schemas.wire;

import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.data.TimeConversions;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecordBase;

/**
 * Avro's view of one generated record class and the classes nested in it.
 *
 * <p>Avro finds classes by the names in a schema and refuses packages that no system property
 * allows. Here the classes are those of our own generated schema and are looked up once, so that no
 * JVM needs a flag and no other class can be named.
 */
public final class RecordModel extends SpecificData {

    private final Map<String, Class<?>> classes = new HashMap<>();

    public RecordModel(Class<? extends SpecificRecordBase> type, Schema schema) {
        super(type.getClassLoader());
        addLogicalTypeConversion(new TimeConversions.TimestampMicrosConversion());
        register(schema, type.getClassLoader());
    }

    private void register(Schema schema, ClassLoader loader) {
        switch (schema.getType()) {
            case RECORD -> {
                if (classes.put(schema.getFullName(), load(schema, loader)) == null) {
                    schema.getFields().forEach(field -> register(field.schema(), loader));
                }
            }
            case ENUM -> classes.put(schema.getFullName(), load(schema, loader));
            case ARRAY -> register(schema.getElementType(), loader);
            case MAP -> register(schema.getValueType(), loader);
            case UNION -> schema.getTypes().forEach(branch -> register(branch, loader));
            default -> {
                // a primitive has no class of its own
            }
        }
    }

    private static Class<?> load(Schema schema, ClassLoader loader) {
        try {
            return Class.forName(schema.getFullName(), true, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("no class was generated for " + schema.getName(), e);
        }
    }

    @Override
    @SuppressWarnings("rawtypes") // as Avro declares it
    public Class getClass(Schema schema) {
        return switch (schema.getType()) {
            case RECORD, ENUM -> {
                Class<?> type = classes.get(schema.getFullName());
                if (type == null) {
                    throw new IllegalArgumentException(
                            schema.getFullName() + " is not part of this record");
                }
                yield type;
            }
            default -> super.getClass(schema);
        };
    }
}
