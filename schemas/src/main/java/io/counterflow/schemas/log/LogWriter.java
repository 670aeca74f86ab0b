package io.counterflow.schemas.log;

import io.counterflow.core.log.Impression;
import io.counterflow.schemas.file.AtomicFile;
import io.counterflow.schemas.json.ImpressionJson;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.wire.ImpressionConversion;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.util.zip.GZIPOutputStream;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.specific.SpecificDatumWriter;

/**
 * Writes a log file, {@code .jsonl}, {@code .jsonl.gz} or {@code .avro}.
 *
 * <p>The file appears when {@link #finish} is called. Closing without it removes the temporary
 * file, so an interrupted run leaves no incomplete log.
 */
public final class LogWriter implements AutoCloseable {

    private static final int BUFFER = 64 * 1024;
    private static final int DEFLATE_LEVEL = 6;

    private final AtomicFile file;
    private final Sink sink;
    private long impressions;
    private boolean broken;

    private interface Sink extends Closeable {
        void write(Impression impression) throws IOException;
    }

    private LogWriter(AtomicFile file, Sink sink) {
        this.file = file;
        this.sink = sink;
    }

    /** Creates a file. Its format is determined by the suffix of its name. */
    public static LogWriter create(Path path) throws IOException {
        LogFormat format = LogFormat.of(path);
        AtomicFile file = AtomicFile.create(path);
        try {
            OutputStream out = new BufferedOutputStream(file.out(), BUFFER);
            return new LogWriter(
                    file,
                    switch (format) {
                        case JSONL -> new Lines(out);
                        case JSONL_GZ -> new Lines(new GZIPOutputStream(out, BUFFER));
                        case AVRO -> new Container(out);
                    });
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /**
     * Appends an impression.
     *
     * @throws IllegalArgumentException if it is too large to be read again. The log is as before.
     */
    public void write(Impression impression) throws IOException {
        broken = true; // until the write succeeds: a failure may leave part of an impression
        try {
            sink.write(impression);
        } catch (IllegalArgumentException e) {
            broken = false;
            throw e;
        }
        broken = false;
        impressions++;
    }

    /** Number of impressions written so far. */
    public long impressions() {
        return impressions;
    }

    /** Completes the file. Nothing can be written afterwards. */
    public void finish() throws IOException {
        if (broken) {
            throw new IllegalStateException("a log with half an impression must not be finished");
        }
        sink.close();
        file.commit();
    }

    @Override
    public void close() throws IOException {
        try (file) { // also if the sink cannot be closed
            sink.close();
        }
    }

    private static final class Lines implements Sink {
        private final ImpressionJson json = new ImpressionJson(JsonLimits.defaults());
        private final OutputStream out;

        Lines(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(Impression impression) throws IOException {
            byte[] line = json.write(impression).getBytes(StandardCharsets.UTF_8);
            if (line.length > TextLines.MAX_LINE_BYTES) {
                throw new IllegalArgumentException(
                        "an impression must not need more than %d bytes, got %d"
                                .formatted(TextLines.MAX_LINE_BYTES, line.length));
            }
            out.write(line);
            out.write('\n');
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }

    private static final class Container implements Sink {
        private final ImpressionConversion conversion =
                new ImpressionConversion(JsonLimits.defaults());
        private final DataFileWriter<ImpressionRecord> writer =
                new DataFileWriter<>(new SpecificDatumWriter<>(ImpressionRecord.class));

        Container(OutputStream out) throws IOException {
            writer.setCodec(CodecFactory.deflateCodec(DEFLATE_LEVEL));
            // A sync marker that is not random: the same impressions give the same file.
            byte[] sync;
            try {
                sync =
                        SchemaNormalization.parsingFingerprint(
                                "MD5", ImpressionRecord.getClassSchema());
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java platform has MD5", e);
            }
            writer.create(ImpressionRecord.getClassSchema(), out, sync);
        }

        @Override
        public void write(Impression impression) throws IOException {
            writer.append(conversion.toRecord(impression));
        }

        @Override
        public void close() throws IOException {
            writer.close();
        }
    }
}
