package io.counterflow.cli.parquet;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageWriter;
import org.apache.parquet.column.statistics.SizeStatistics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.column.statistics.geospatial.GeospatialStatistics;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Util;

/** The pages of one column of a row group, compressed with gzip and kept in memory. */
final class ColumnPages implements PageWriter {

    private final ColumnDescriptor column;
    private final ByteArrayOutputStream pages = new ByteArrayOutputStream();
    private final Set<org.apache.parquet.format.Encoding> encodings =
            EnumSet.noneOf(org.apache.parquet.format.Encoding.class);
    private byte[] dictionary = {};
    private long values;
    private long uncompressedBytes;

    ColumnPages(ColumnDescriptor column) {
        this.column = column;
    }

    /** The column store calls this one; nothing here has shapes on maps. */
    @Override
    public void writePage(
            BytesInput bytes,
            int valueCount,
            int rowCount,
            Statistics<?> statistics,
            SizeStatistics sizes,
            GeospatialStatistics shapes,
            Encoding repetitionLevels,
            Encoding definitionLevels,
            Encoding valuesEncoding)
            throws IOException {
        writePage(
                bytes,
                valueCount,
                rowCount,
                statistics,
                repetitionLevels,
                definitionLevels,
                valuesEncoding);
    }

    @Override
    public void writePage(
            BytesInput bytes,
            int valueCount,
            int rowCount,
            Statistics<?> statistics,
            Encoding repetitionLevels,
            Encoding definitionLevels,
            Encoding valuesEncoding)
            throws IOException {
        DataPageHeader data =
                new DataPageHeader(
                        valueCount,
                        encoding(valuesEncoding),
                        encoding(definitionLevels),
                        encoding(repetitionLevels));
        write(PageType.DATA_PAGE, bytes, header -> header.setData_page_header(data), pages);
        values += valueCount;
    }

    @Override
    @Deprecated
    public void writePage(
            BytesInput bytes,
            int valueCount,
            Statistics<?> statistics,
            Encoding repetitionLevels,
            Encoding definitionLevels,
            Encoding valuesEncoding) {
        throw new UnsupportedOperationException("the column store knows the number of rows");
    }

    @Override
    public void writePageV2(
            int rowCount,
            int nullCount,
            int valueCount,
            BytesInput repetitionLevels,
            BytesInput definitionLevels,
            Encoding dataEncoding,
            BytesInput data,
            Statistics<?> statistics) {
        throw new UnsupportedOperationException("pages of version 1 are written");
    }

    /** Comes after the data pages, but is before them in the file. */
    @Override
    public void writeDictionaryPage(DictionaryPage page) throws IOException {
        DictionaryPageHeader values =
                new DictionaryPageHeader(page.getDictionarySize(), encoding(page.getEncoding()));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        write(
                PageType.DICTIONARY_PAGE,
                page.getBytes(),
                header -> header.setDictionary_page_header(values),
                out);
        dictionary = out.toByteArray();
    }

    /** Adds what a kind of page has in its header. */
    private interface HeaderPart {
        PageHeader addTo(PageHeader header);
    }

    private void write(
            PageType type, BytesInput bytes, HeaderPart part, ByteArrayOutputStream target)
            throws IOException {
        byte[] compressed = compressed(bytes);
        PageHeader header =
                part.addTo(new PageHeader(type, Math.toIntExact(bytes.size()), compressed.length));
        int before = target.size();
        Util.writePageHeader(header, target);
        uncompressedBytes += target.size() - before + bytes.size();
        target.writeBytes(compressed);
    }

    private static byte[] compressed(BytesInput bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream((int) (bytes.size() / 2) + 64);
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            bytes.writeAllTo(gzip);
        }
        return out.toByteArray();
    }

    private org.apache.parquet.format.Encoding encoding(Encoding encoding) {
        org.apache.parquet.format.Encoding written =
                org.apache.parquet.format.Encoding.valueOf(encoding.name());
        encodings.add(written);
        return written;
    }

    /** Writes the pages at this position of the file, and describes them. */
    ColumnChunk writeTo(CountedOutput out) throws IOException {
        long start = out.position();
        out.write(dictionary);
        long dataStart = out.position();
        pages.writeTo(out);
        ColumnMetaData data =
                new ColumnMetaData(
                        SchemaElements.type(column.getPrimitiveType()),
                        List.copyOf(encodings),
                        Arrays.asList(column.getPath()),
                        CompressionCodec.GZIP,
                        values,
                        uncompressedBytes,
                        out.position() - start,
                        dataStart);
        if (dictionary.length > 0) {
            data.setDictionary_page_offset(start);
        }
        return new ColumnChunk(start).setMeta_data(data);
    }

    @Override
    public long getMemSize() {
        return (long) pages.size() + dictionary.length;
    }

    @Override
    public long allocatedSize() {
        return getMemSize();
    }

    @Override
    public String memUsageString(String prefix) {
        return prefix + getMemSize() + " bytes of pages";
    }
}
