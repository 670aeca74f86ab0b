package io.counterflow.cli.parquet;

import io.counterflow.schemas.file.AtomicFile;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.impl.ColumnWriteStoreV1;
import org.apache.parquet.column.page.PageWriteStore;
import org.apache.parquet.column.page.PageWriter;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.Util;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.MessageType;

/**
 * Writes a Parquet file row by row. Memory is that of one row group, about 16 MB and at least one
 * row. The file appears when {@link #finish} is called; closing without it leaves no file.
 *
 * <p>Parquet's own library encodes the columns and the footer. Its writer of files is not used,
 * because it needs the libraries of Hadoop, which are several times larger.
 */
public final class ParquetFile implements Closeable {

    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);
    private static final int FORMAT_VERSION = 1;
    private static final int BUFFER = 64 * 1024;
    private static final long ROW_GROUP_BYTES = 16L << 20;
    private static final int PAGE_BYTES = 1 << 20;
    private static final ParquetProperties PROPERTIES =
            ParquetProperties.builder()
                    .withWriterVersion(ParquetProperties.WriterVersion.PARQUET_1_0)
                    .withPageSize(PAGE_BYTES)
                    .withDictionaryPageSize(PAGE_BYTES)
                    .withStatisticsEnabled(false)
                    .withSizeStatisticsEnabled(false)
                    .build();

    private final AtomicFile file;
    private final CountedOutput out;
    private final MessageType schema;
    private final String createdBy;
    private final long rowGroupBytes;
    private final List<RowGroup> rowGroups = new ArrayList<>();
    private OpenGroup group;
    private long rows;

    /**
     * Creates a file.
     *
     * @param createdBy the program, such as {@code counterflow 1.0}
     */
    public ParquetFile(Path path, MessageType schema, String createdBy) throws IOException {
        this(path, schema, createdBy, ROW_GROUP_BYTES);
    }

    ParquetFile(Path path, MessageType schema, String createdBy, long rowGroupBytes)
            throws IOException {
        this.schema = schema;
        this.createdBy = createdBy;
        this.rowGroupBytes = rowGroupBytes;
        this.file = AtomicFile.create(path);
        this.out = new CountedOutput(new BufferedOutputStream(file.out(), BUFFER));
        this.group = new OpenGroup(schema);
        try {
            out.write(MAGIC);
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /** The row group that is written, in memory. */
    private static final class OpenGroup implements PageWriteStore {

        private final Map<ColumnDescriptor, ColumnPages> pages = new LinkedHashMap<>();
        private final ColumnWriteStoreV1 columns;
        private final RecordConsumer rows;
        private long rowCount;

        OpenGroup(MessageType schema) {
            schema.getColumns().forEach(column -> pages.put(column, new ColumnPages(column)));
            columns = new ColumnWriteStoreV1(schema, this, PROPERTIES);
            rows = new ColumnIOFactory().getColumnIO(schema).getRecordWriter(columns);
        }

        @Override
        @SuppressWarnings("NullAway") // the store asks for the columns of the schema
        public PageWriter getPageWriter(ColumnDescriptor column) {
            return pages.get(column);
        }

        void write(Consumer<RecordConsumer> row) {
            rows.startMessage();
            row.accept(rows);
            rows.endMessage();
            rowCount++;
        }

        long bytes() {
            return columns.getBufferedSize();
        }

        RowGroup writeTo(CountedOutput out) throws IOException {
            rows.flush();
            columns.flush();
            columns.close();
            long start = out.position();
            long uncompressed = 0;
            List<ColumnChunk> chunks = new ArrayList<>();
            for (ColumnPages column : pages.values()) {
                ColumnChunk chunk = column.writeTo(out);
                uncompressed += chunk.getMeta_data().getTotal_uncompressed_size();
                chunks.add(chunk);
            }
            return new RowGroup(chunks, uncompressed, rowCount)
                    .setFile_offset(start)
                    .setTotal_compressed_size(out.position() - start);
        }
    }

    /**
     * Appends a row.
     *
     * @param row writes its fields, in the order of the schema
     */
    public void write(Consumer<RecordConsumer> row) throws IOException {
        group.write(row);
        rows++;
        if (group.bytes() >= rowGroupBytes) {
            rowGroups.add(group.writeTo(out));
            group = new OpenGroup(schema);
        }
    }

    /** Completes the file. */
    public void finish() throws IOException {
        if (group.rowCount > 0) {
            rowGroups.add(group.writeTo(out));
        }
        long start = out.position();
        FileMetaData footer =
                new FileMetaData(FORMAT_VERSION, SchemaElements.of(schema), rows, rowGroups);
        Util.writeFileMetaData(footer.setCreated_by(createdBy), out);
        ByteBuffer length = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        out.write(length.putInt((int) (out.position() - start)).array());
        out.write(MAGIC);
        out.close();
        file.commit();
    }

    @Override
    public void close() throws IOException {
        try (file) { // also if the stream cannot be closed
            out.close();
        }
    }
}
