package io.counterflow.cli.parquet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.numeric.EventRandom;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ParquetFileIT {

    private static final MessageType SCHEMA =
            MessageTypeParser.parseMessageType(
                    "message m { required binary text (STRING); optional int64 number;"
                            + " optional group list (LIST) { repeated group list { required float"
                            + " element; } } }");

    @TempDir private Path dir;

    private record Row(String text, OptionalLong number, Optional<List<Float>> values) {}

    /** Without a number in each third row, and without a list in each fifth. */
    private static Row row(int i, EventRandom random) {
        List<Float> values = new ArrayList<>();
        for (int n = random.nextInt(6); n > 0; n--) {
            values.add((float) random.nextGaussian());
        }
        return new Row(
                "row " + (i % 50 == 0 ? "x".repeat(30_000) : i % 7),
                i % 3 == 0 ? OptionalLong.empty() : OptionalLong.of((long) i << 33),
                i % 5 == 0 ? Optional.empty() : Optional.of(values));
    }

    private List<Row> write(Path file, int rows, long rowGroupBytes) throws IOException {
        List<Row> written = new ArrayList<>();
        EventRandom random = new EventRandom(5);
        try (ParquetFile out = new ParquetFile(file, SCHEMA, "test version 1", rowGroupBytes)) {
            for (int i = 0; i < rows; i++) {
                Row row = row(i, random);
                written.add(row);
                out.write(
                        consumer -> {
                            consumer.startField("text", 0);
                            consumer.addBinary(Binary.fromString(row.text()));
                            consumer.endField("text", 0);
                            if (row.number().isPresent()) {
                                consumer.startField("number", 1);
                                consumer.addLong(row.number().getAsLong());
                                consumer.endField("number", 1);
                            }
                            row.values().ifPresent(values -> write(values, consumer));
                        });
            }
            assertThat(file).doesNotExist();
            out.finish();
        }
        return written;
    }

    private static void write(List<Float> values, RecordConsumer consumer) {
        consumer.startField("list", 2);
        consumer.startGroup();
        if (!values.isEmpty()) {
            consumer.startField("list", 0);
            for (float value : values) {
                consumer.startGroup();
                consumer.startField("element", 0);
                consumer.addFloat(value);
                consumer.endField("element", 0);
                consumer.endGroup();
            }
            consumer.endField("list", 0);
        }
        consumer.endGroup();
        consumer.endField("list", 2);
    }

    /** The row that the reader has read. */
    private static Row rowOf(Group group) {
        boolean hasNumber = group.getFieldRepetitionCount("number") > 0;
        Optional<List<Float>> values = Optional.empty();
        if (group.getFieldRepetitionCount("list") > 0) {
            List<Float> read = new ArrayList<>();
            Group list = group.getGroup("list", 0);
            for (int j = 0; j < list.getFieldRepetitionCount("list"); j++) {
                read.add(list.getGroup("list", j).getFloat("element", 0));
            }
            values = Optional.of(read);
        }
        return new Row(
                group.getString("text", 0),
                hasNumber ? OptionalLong.of(group.getLong("number", 0)) : OptionalLong.empty(),
                values);
    }

    @Test
    void parquetsOwnReaderReadsEveryRowOfSeveralRowGroups() throws IOException {
        Path file = dir.resolve("a.parquet");
        List<Row> written = write(file, 20_000, 20_000);

        List<Group> read = ParquetRows.read(file);

        assertThat(ParquetRows.rowGroups(file)).isGreaterThan(5);
        assertThat(read.stream().map(ParquetFileIT::rowOf).toList()).isEqualTo(written);
    }

    @Test
    void aFileWithoutRowsIsValid() throws IOException {
        Path file = dir.resolve("none.parquet");
        write(file, 0, 1_000);
        assertThat(ParquetRows.read(file)).isEmpty();
        assertThat(Files.readAllBytes(file))
                .startsWith("PAR1".getBytes(StandardCharsets.US_ASCII))
                .endsWith("PAR1".getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void anInterruptedFileDoesNotAppear() throws IOException {
        try (ParquetFile out = new ParquetFile(dir.resolve("cut.parquet"), SCHEMA, "test")) {
            assertThat(out).isNotNull();
        }
        try (var files = Files.list(dir)) {
            assertThat(files).isEmpty();
        }
    }
}
