package io.counterflow.schemas.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RetractionRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecordBase;
import org.junit.jupiter.api.Test;

/** With {@code -Dcounterflow.writeDocs=true} the test writes the page instead of comparing it. */
final class KafkaPageIT {

    private static final Path PAGE = Path.of("..", "docs", "kafka.md");

    /** The records that other programs write. */
    private static final List<Class<? extends SpecificRecordBase>> WRITTEN =
            List.of(
                    ImpressionRecord.class,
                    RewardRecord.class,
                    ActivationRecord.class,
                    RetractionRecord.class,
                    HeartbeatRecord.class);

    @Test
    void thePageListsTheSchemasOfEveryTopic() throws IOException {
        StringBuilder table =
                new StringBuilder("| topic | record | file | fingerprint |\n|---|---|---|---|\n");
        for (Topic topic : Topic.values()) {
            for (TopicSchemas.Published schema : TopicSchemas.of(topic)) {
                table.append(
                        "| `%s` | `%s` | [%s](../schemas/src/main/avsc/%s) | `%s` |\n"
                                .formatted(
                                        topic.suffix(),
                                        schema.name(),
                                        schema.file(),
                                        schema.file(),
                                        schema.fingerprint()));
            }
        }
        compare("schemas", table.toString());
    }

    @Test
    void thePageListsTheFieldsOfRecordsThatOthersWrite() throws IOException {
        StringBuilder tables = new StringBuilder();
        for (Class<? extends SpecificRecordBase> type : WRITTEN) {
            Schema schema = SchemaHistory.of(type).current();
            tables.append(
                    "\n%s\n| field | type | default | meaning |\n|---|---|---|---|\n"
                            .formatted(
                                    wrapped(
                                            "**%s.** %s"
                                                    .formatted(
                                                            schema.getName(),
                                                            oneLine(schema.getDoc())))));
            for (Schema.Field field : schema.getFields()) {
                tables.append(
                        "| `%s` | %s | %s | %s |\n"
                                .formatted(
                                        field.name(),
                                        typeOf(field.schema()),
                                        defaultOf(field),
                                        oneLine(field.doc())));
            }
        }
        compare("fields", tables.append('\n').toString());
    }

    private static String oneLine(String doc) {
        return doc.replaceAll("\\s+", " ");
    }

    /** With at most 100 characters per line, and a line break at the end. */
    private static String wrapped(String text) {
        return text.replaceAll("(.{1,100})( |$)", "$1\n");
    }

    private static String typeOf(Schema schema) {
        return switch (schema.getType()) {
            case RECORD -> schema.getName();
            case ENUM -> String.join(", ", schema.getEnumSymbols()).replace("UNKNOWN, ", "");
            case ARRAY -> "array of " + typeOf(schema.getElementType());
            case UNION ->
                    String.join(
                            " or ", schema.getTypes().stream().map(KafkaPageIT::typeOf).toList());
            default ->
                    schema.getLogicalType() == null
                            ? schema.getType().getName()
                            : "%s, %s"
                                    .formatted(
                                            schema.getType().getName(),
                                            schema.getLogicalType().getName());
        };
    }

    private static String defaultOf(Schema.Field field) {
        if (!field.hasDefaultValue()) {
            return "**required**";
        }
        return field.schema().isNullable()
                ? "`null`"
                : "`%s`".formatted(field.defaultVal().toString());
    }

    private static void compare(String name, String content) throws IOException {
        String page = Files.readString(PAGE);
        String start = "<!-- %s: written by KafkaPageIT -->\n".formatted(name);
        int begin = page.indexOf(start) + start.length();
        int end = page.indexOf("<!-- end of %s -->".formatted(name));
        if (Boolean.getBoolean("counterflow.writeDocs")) {
            Files.writeString(PAGE, page.substring(0, begin) + content + page.substring(end));
        } else {
            assertThat(page.substring(begin, end)).isEqualTo(content);
        }
    }
}
