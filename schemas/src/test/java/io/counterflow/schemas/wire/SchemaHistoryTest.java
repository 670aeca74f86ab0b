package io.counterflow.schemas.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.PropensityKindRecord;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.apache.avro.SchemaFormatter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecordBase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class SchemaHistoryTest {

    static Stream<Class<? extends SpecificRecordBase>> types() {
        return DrawnRecords.TYPES.stream();
    }

    @ParameterizedTest
    @MethodSource("types")
    void theNewestPublishedVersionIsTheCurrentSchema(Class<? extends SpecificRecordBase> type) {
        SchemaHistory history = SchemaHistory.of(type);
        List<Schema> versions = history.versions();
        assertThat(versions.isEmpty() ? null : versions.get(versions.size() - 1))
                .as(
                        "the schema changed: publish it as src/main/avsc/%s.v%d.avsc with the content%n%s",
                        type.getSimpleName(),
                        versions.size() + 1,
                        SchemaFormatter.format("json/pretty", history.current()))
                .isEqualTo(history.current());
    }

    @ParameterizedTest
    @MethodSource("types")
    void theCurrentSchemaReadsEveryPublishedVersion(Class<? extends SpecificRecordBase> type) {
        SchemaHistory history = SchemaHistory.of(type);
        for (Schema version : history.versions()) {
            assertThat(compatibility(history.current(), version))
                    .isEqualTo(SchemaCompatibilityType.COMPATIBLE);
        }
    }

    @Test
    void theCheckAboveDetectsAnIncompatibleChange() {
        Schema current = SchemaHistory.of(ImpressionRecord.class).current();
        Schema withoutTheLoop = without(current, Set.of("loop")); // which has no default
        assertThat(compatibility(current, withoutTheLoop))
                .isEqualTo(SchemaCompatibilityType.INCOMPATIBLE);
    }

    private static SchemaCompatibilityType compatibility(Schema reader, Schema writer) {
        return SchemaCompatibility.checkReaderWriterCompatibility(reader, writer).getType();
    }

    @ParameterizedTest
    @MethodSource("types")
    void everyFieldSaysWhatItMeans(Class<? extends SpecificRecordBase> type) {
        requireDocs(SchemaHistory.of(type).current());
    }

    private static void requireDocs(Schema schema) {
        switch (schema.getType()) {
            case RECORD -> {
                assertThat(schema.getDoc()).as(schema.getName()).isNotBlank();
                for (Schema.Field field : schema.getFields()) {
                    assertThat(field.doc()).as(schema.getName() + "." + field.name()).isNotBlank();
                    requireDocs(field.schema());
                }
            }
            case ENUM -> {
                assertThat(schema.getDoc()).as(schema.getName()).isNotBlank();
                assertThat(schema.getEnumDefault()).as(schema.getName()).isEqualTo("UNKNOWN");
            }
            case ARRAY -> requireDocs(schema.getElementType());
            case UNION -> schema.getTypes().forEach(SchemaHistoryTest::requireDocs);
            default -> {
                // documented by its field
            }
        }
    }

    @Test
    void aRecordOfAnEarlierVersionComesWithDefaults() throws Exception {
        Schema current = SchemaHistory.of(ImpressionRecord.class).current();
        Schema earlier =
                without(current, Set.of("propensityKind", "excludedActions", "distribution"));
        SchemaHistory history = new SchemaHistory(current, List.of(earlier, current));
        ImpressionRecord drawn = new DrawnRecords(7).draw(ImpressionRecord.class);

        ImpressionRecord read =
                WireCodec.of(ImpressionRecord.class, history).decode(encode(drawn, earlier));

        assertThat(read.getPropensityKind()).isEqualTo(PropensityKindRecord.EXACT);
        assertThat(read.getExcludedActions()).isEmpty();
        assertThat(read.getDistribution()).isEmpty();
        assertThat(read.getEventId()).isEqualTo(drawn.getEventId());
        assertThat(read.getFeatures()).isEqualTo(drawn.getFeatures());
        assertThat(read.getReward()).isEqualTo(drawn.getReward());
    }

    private static Schema without(Schema schema, Set<String> names) {
        List<Schema.Field> fields = new ArrayList<>();
        for (Schema.Field field : schema.getFields()) {
            if (!names.contains(field.name())) {
                fields.add(new Schema.Field(field, field.schema()));
            }
        }
        return Schema.createRecord(
                schema.getName(), schema.getDoc(), schema.getNamespace(), false, fields);
    }

    private static byte[] encode(ImpressionRecord record, Schema schema) throws IOException {
        SpecificData model = new RecordModel(ImpressionRecord.class, record.getSchema());
        GenericData.Record generic = new GenericData.Record(schema);
        for (Schema.Field field : schema.getFields()) {
            generic.put(field.pos(), record.get(field.name()));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(0xC3);
        out.write(0x01);
        out.write(
                ByteBuffer.allocate(8)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(SchemaHistory.fingerprint(schema))
                        .array());
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
        new GenericDatumWriter<>(schema, model).write(generic, encoder);
        encoder.flush();
        return out.toByteArray();
    }
}
