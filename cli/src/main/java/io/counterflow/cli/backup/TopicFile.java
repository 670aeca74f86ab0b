package io.counterflow.cli.backup;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/** The records of a topic in an Avro container file, each partition in its order. */
final class TopicFile {

    private static final Schema BYTES =
            SchemaBuilder.unionOf().nullType().and().bytesType().endUnion();

    private static final Schema HEADER =
            SchemaBuilder.record("Header")
                    .namespace("io.counterflow.backup")
                    .fields()
                    .requiredString("key")
                    .name("value")
                    .type(BYTES)
                    .noDefault()
                    .endRecord();

    private static final Schema SCHEMA =
            SchemaBuilder.record("TopicRecord")
                    .namespace("io.counterflow.backup")
                    .doc("A record of a Kafka topic; its value is as it was on the topic.")
                    .fields()
                    .requiredInt("partition")
                    .requiredLong("offset")
                    .requiredLong("timestamp")
                    .name("key")
                    .type(BYTES)
                    .noDefault()
                    .name("headers")
                    .type()
                    .array()
                    .items(HEADER)
                    .noDefault()
                    .name("value")
                    .type(BYTES)
                    .noDefault()
                    .endRecord();

    private static final int COMPRESSION_LEVEL = 6;

    private TopicFile() {}

    /** Writes a new file. */
    static final class Writer implements AutoCloseable {

        private final DataFileWriter<GenericRecord> file;
        private long records;

        Writer(Path path) throws IOException {
            OutputStream out = new BufferedOutputStream(Files.newOutputStream(path));
            file = new DataFileWriter<>(new GenericDatumWriter<>(SCHEMA));
            file.setCodec(CodecFactory.deflateCodec(COMPRESSION_LEVEL));
            file.create(SCHEMA, out);
        }

        void write(TopicRecord record) throws IOException {
            GenericRecord row = new GenericData.Record(SCHEMA);
            row.put("partition", record.partition());
            row.put("offset", record.offset());
            row.put("timestamp", record.timestamp());
            row.put("key", buffer(record.key()));
            List<GenericRecord> headers = new ArrayList<>();
            for (Header header : record.headers()) {
                GenericRecord field = new GenericData.Record(HEADER);
                field.put("key", header.key());
                field.put("value", buffer(header.value()));
                headers.add(field);
            }
            row.put("headers", headers);
            row.put("value", buffer(record.value()));
            file.append(row);
            records++;
        }

        long records() {
            return records;
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    /** Takes records. */
    @FunctionalInterface
    interface Taker {
        void take(TopicRecord record) throws IOException;
    }

    /**
     * Reads a file to its end.
     *
     * @throws IOException if it cannot be read, or is damaged
     */
    static void read(Path path, Taker taker) throws IOException {
        try (DataFileReader<GenericRecord> file =
                new DataFileReader<>(path.toFile(), new GenericDatumReader<>(null, SCHEMA))) {
            while (file.hasNext()) {
                GenericRecord row = file.next();
                List<Header> headers = new ArrayList<>();
                for (Object header : (List<?>) row.get("headers")) {
                    GenericRecord field = (GenericRecord) header;
                    headers.add(
                            new RecordHeader(
                                    field.get("key").toString(), bytes(field.get("value"))));
                }
                taker.take(
                        new TopicRecord(
                                (int) row.get("partition"),
                                (long) row.get("offset"),
                                (long) row.get("timestamp"),
                                bytes(row.get("key")),
                                headers,
                                bytes(row.get("value"))));
            }
        } catch (org.apache.avro.AvroRuntimeException | UncheckedIOException e) {
            throw new IOException("%s is damaged: %s".formatted(path, e.getMessage()), e);
        }
    }

    private static @Nullable ByteBuffer buffer(byte @Nullable [] bytes) {
        return bytes == null ? null : ByteBuffer.wrap(bytes);
    }

    private static byte @Nullable [] bytes(@Nullable Object buffer) {
        if (buffer == null) {
            return null;
        }
        ByteBuffer from = (ByteBuffer) buffer;
        byte[] bytes = new byte[from.remaining()];
        from.get(bytes);
        return bytes;
    }
}
