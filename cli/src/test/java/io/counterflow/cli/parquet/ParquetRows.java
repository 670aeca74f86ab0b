package io.counterflow.cli.parquet;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.api.ReadSupport;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.LocalInputFile;

/** The rows of a Parquet file, as Parquet's own reader reads them. */
public final class ParquetRows {

    private ParquetRows() {}

    public static List<Group> read(Path file) throws IOException {
        List<Group> rows = new ArrayList<>();
        try (ParquetReader<Group> reader =
                new Reader(new LocalInputFile(file)).withCodecFactory(new Gzip()).build()) {
            for (Group row = reader.read(); row != null; row = reader.read()) {
                rows.add(row);
            }
        }
        return rows;
    }

    /** Number of row groups. */
    static int rowGroups(Path file) throws IOException {
        try (ParquetFileReader reader =
                ParquetFileReader.open(
                        new LocalInputFile(file),
                        ParquetReadOptions.builder(new PlainParquetConfiguration()).build())) {
            return reader.getRowGroups().size();
        }
    }

    private static final class Reader extends ParquetReader.Builder<Group> {
        Reader(InputFile file) {
            super(file, new PlainParquetConfiguration());
        }

        @Override
        protected ReadSupport<Group> getReadSupport() {
            return new GroupReadSupport();
        }
    }

    /** The codec without the libraries of Hadoop. */
    private static final class Gzip
            implements CompressionCodecFactory, CompressionCodecFactory.BytesInputDecompressor {

        @Override
        public BytesInputCompressor getCompressor(CompressionCodecName codec) {
            throw new UnsupportedOperationException("files are only read");
        }

        @Override
        public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
            if (codec != CompressionCodecName.GZIP) {
                throw new IllegalArgumentException("the codec must be GZIP, got " + codec);
            }
            return this;
        }

        @Override
        public BytesInput decompress(BytesInput bytes, int size) throws IOException {
            ByteArrayOutputStream compressed = new ByteArrayOutputStream();
            bytes.writeAllTo(compressed);
            byte[] content;
            try (GZIPInputStream in =
                    new GZIPInputStream(new ByteArrayInputStream(compressed.toByteArray()))) {
                content = in.readAllBytes();
            }
            if (content.length != size) {
                throw new IOException(
                        "the header says %d bytes, the page has %d"
                                .formatted(size, content.length));
            }
            return BytesInput.from(content);
        }

        @Override
        public void decompress(ByteBuffer in, int inSize, ByteBuffer out, int outSize) {
            throw new UnsupportedOperationException("pages are decompressed as bytes");
        }

        @Override
        public void release() {}
    }
}
