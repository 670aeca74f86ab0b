package io.counterflow.schemas.wire;

import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.data.TimeConversions;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecordBase;

/**
 * Avro's data model of one generated record class and its nested classes.
 *
 * <p>Avro finds classes by the names in a schema and refuses packages that no system property
 * allows. This model knows only the classes of the generated schema, so no JVM flag is needed and a
 * schema cannot name any other class.
 */
final class RecordModel extends SpecificData {

    /** Creating a model searches the class path for conversions, which takes milliseconds. */
    private static final ClassValue<RecordModel> MODELS =
            new ClassValue<>() {
                @Override
                protected RecordModel computeValue(Class<?> type) {
                    return new RecordModel(
                            type.asSubclass(SpecificRecordBase.class),
                            SpecificData.get().getSchema(type));
                }
            };

    private static final ClassValue<RecordModel> WRITING_MODELS =
            new ClassValue<>() {
                @Override
                protected RecordModel computeValue(Class<?> type) {
                    RecordModel model =
                            new RecordModel(
                                    type.asSubclass(SpecificRecordBase.class),
                                    SpecificData.get().getSchema(type));
                    model.setCustomCoders(true);
                    return model;
                }
            };

    private final Map<String, Class<?>> classes = new HashMap<>();

    /** The model of a generated class, which codecs of all threads share. */
    static RecordModel of(Class<? extends SpecificRecordBase> type) {
        return MODELS.get(type);
    }

    /**
     * The model for writers, which calls generated code where there is some. Not for readers: the
     * generated code allocates arrays of any length that the bytes ask for.
     */
    static RecordModel forWriting(Class<? extends SpecificRecordBase> type) {
        return WRITING_MODELS.get(type);
    }

    RecordModel(Class<? extends SpecificRecordBase> type, Schema schema) {
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
                // primitive types have no class
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
