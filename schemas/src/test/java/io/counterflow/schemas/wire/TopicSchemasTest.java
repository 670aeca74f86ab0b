package io.counterflow.schemas.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.schemas.topics.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecordBase;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class TopicSchemasTest {

    @ParameterizedTest
    @EnumSource
    void theSchemaOfARecordIsFoundByTheBytesAfterItsMarker(Topic topic) {
        for (Class<? extends SpecificRecordBase> type : TopicSchemas.records(topic)) {
            String bytes = HexFormat.of().formatHex(encoded(type), 2, 10);
            TopicSchemas.Published found = TopicSchemas.find(bytes).orElseThrow();
            assertThat(found.schema()).isEqualTo(SchemaHistory.of(type).current());
            assertThat(TopicSchemas.of(topic)).contains(found);
        }
        assertThat(TopicSchemas.find("0123456789abcdef")).isEmpty();
        assertThat(TopicSchemas.find("")).isEmpty();
    }

    private static <T extends SpecificRecordBase> byte[] encoded(Class<T> type) {
        return WireCodec.of(type).encode(new DrawnRecords(1).draw(type));
    }

    @ParameterizedTest
    @EnumSource
    void aSchemaIsTheContentOfItsFileAndTheNewestOneComesFirst(Topic topic) throws IOException {
        List<TopicSchemas.Published> schemas = TopicSchemas.of(topic);
        for (TopicSchemas.Published schema : schemas) {
            String file = Files.readString(Path.of("src/main/avsc", schema.file()));
            assertThat(new Schema.Parser().parse(file)).isEqualTo(schema.schema());
        }
        assertThat(schemas.get(0).schema())
                .isEqualTo(SchemaHistory.of(TopicSchemas.records(topic).get(0)).current());
    }
}
