package io.counterflow.cli.parquet;

import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.ListType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.MicroSeconds;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.StringType;
import org.apache.parquet.format.TimeUnit;
import org.apache.parquet.format.TimestampType;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;

/** A schema as the list of elements in the footer of a file. */
final class SchemaElements {

    private SchemaElements() {}

    /** The elements, each group before its fields. */
    static List<SchemaElement> of(MessageType schema) {
        List<SchemaElement> elements = new ArrayList<>();
        elements.add(new SchemaElement(schema.getName()).setNum_children(schema.getFieldCount()));
        schema.getFields().forEach(field -> add(field, elements));
        return elements;
    }

    private static void add(Type field, List<SchemaElement> elements) {
        SchemaElement element =
                new SchemaElement(field.getName())
                        .setRepetition_type(
                                FieldRepetitionType.valueOf(field.getRepetition().name()));
        annotate(field.getLogicalTypeAnnotation(), element);
        elements.add(element);
        if (field.isPrimitive()) {
            element.setType(type(field.asPrimitiveType()));
        } else {
            GroupType group = field.asGroupType();
            element.setNum_children(group.getFieldCount());
            group.getFields().forEach(child -> add(child, elements));
        }
    }

    @SuppressWarnings("NullAway") // Parquet's method returns null for a type without a logical one
    private static void annotate(LogicalTypeAnnotation logical, SchemaElement element) {
        if (logical == null) {
            return;
        }
        if (logical.equals(LogicalTypeAnnotation.stringType())) {
            element.setLogicalType(LogicalType.STRING(new StringType()));
            element.setConverted_type(ConvertedType.UTF8);
        } else if (logical.equals(LogicalTypeAnnotation.listType())) {
            element.setLogicalType(LogicalType.LIST(new ListType()));
            element.setConverted_type(ConvertedType.LIST);
        } else if (logical.equals(MICROSECONDS)) {
            TimestampType type = new TimestampType(true, TimeUnit.MICROS(new MicroSeconds()));
            element.setLogicalType(LogicalType.TIMESTAMP(type));
            element.setConverted_type(ConvertedType.TIMESTAMP_MICROS);
        } else {
            throw new IllegalArgumentException("no column has the logical type " + logical);
        }
    }

    /** A time in UTC. */
    static final LogicalTypeAnnotation MICROSECONDS =
            LogicalTypeAnnotation.timestampType(true, LogicalTypeAnnotation.TimeUnit.MICROS);

    static org.apache.parquet.format.Type type(PrimitiveType type) {
        return switch (type.getPrimitiveTypeName()) {
            case INT32 -> org.apache.parquet.format.Type.INT32;
            case INT64 -> org.apache.parquet.format.Type.INT64;
            case FLOAT -> org.apache.parquet.format.Type.FLOAT;
            case DOUBLE -> org.apache.parquet.format.Type.DOUBLE;
            case BINARY -> org.apache.parquet.format.Type.BYTE_ARRAY;
            case BOOLEAN, INT96, FIXED_LEN_BYTE_ARRAY ->
                    throw new IllegalArgumentException("no column has the type " + type);
        };
    }
}
