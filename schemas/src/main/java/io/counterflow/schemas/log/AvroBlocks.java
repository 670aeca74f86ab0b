package io.counterflow.schemas.log;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.apache.avro.Schema;

/**
 * Reads the blocks of an Avro container file, uncompressed or compressed with deflate.
 *
 * <p>Avro's own {@code DataFileStream} allocates any length that a file declares, and treats a file
 * that is cut off in the header of a block as complete. This reader compares each length with the
 * rest of the file and with a limit, and reports every file that is cut off.
 */
final class AvroBlocks implements Closeable {

    private static final byte[] MAGIC = {'O', 'b', 'j', 1};
    private static final int SYNC_BYTES = 16;
    private static final int MAX_HEADER_ENTRIES = 1_000;
    private static final int MAX_HEADER_VALUE = 1 << 20;
    private static final int MAX_BLOCK = 64 << 20;

    private final DataInputStream in;
    private final long size;
    private final byte[] sync = new byte[SYNC_BYTES];
    private long position;
    private String schemaText = "";
    private String codec = "null";
    private long records;

    /**
     * @param size length of {@code in}
     */
    AvroBlocks(InputStream in, long size) {
        this.in = new DataInputStream(in);
        this.size = size;
    }

    /** Reads the header. Returns the schema that the file was written with. */
    Schema open() throws IOException {
        if (!Arrays.equals(bytes(MAGIC.length, "the file's first bytes"), MAGIC)) {
            throw new DamagedFileException("must start with Obj and 1, as Avro files do");
        }
        for (long n = entries(); n > 0; n = entries()) {
            for (long i = 0; i < n; i++) {
                String key = new String(headerValue(), StandardCharsets.UTF_8);
                String value = new String(headerValue(), StandardCharsets.UTF_8);
                switch (key) {
                    case "avro.schema" -> schemaText = value;
                    case "avro.codec" -> codec = value;
                    default -> {
                        // metadata of other programs
                    }
                }
            }
        }
        System.arraycopy(bytes(SYNC_BYTES, "sync marker"), 0, sync, 0, SYNC_BYTES);
        if (!codec.equals("null") && !codec.equals("deflate")) {
            throw new DamagedFileException("avro.codec must be null or deflate, got another");
        }
        try {
            return new Schema.Parser().parse(schemaText);
        } catch (RuntimeException e) { // Avro throws several kinds
            throw new DamagedFileException("avro.schema is not a schema");
        }
    }

    private long entries() throws IOException {
        long n = number("header");
        if (n < 0) { // the length of the block follows, which is not needed
            n = -n;
            number("header");
        }
        if (n < 0 || n > MAX_HEADER_ENTRIES) {
            throw new DamagedFileException(
                    "header must not have more than " + MAX_HEADER_ENTRIES + " entries");
        }
        return n;
    }

    private byte[] headerValue() throws IOException {
        long length = number("header");
        if (length < 0 || length > MAX_HEADER_VALUE) {
            throw new DamagedFileException(
                    "header values must not be longer than " + MAX_HEADER_VALUE + " bytes");
        }
        return bytes((int) length, "header");
    }

    /** Number of records in the block that was read last. */
    long records() {
        return records;
    }

    boolean hasNext() {
        return position < size;
    }

    /** The next block's records, decompressed. */
    byte[] next() throws IOException {
        records = number("block");
        long length = number("block");
        if (records < 0 || length < 0 || length > MAX_BLOCK) {
            throw new DamagedFileException(
                    "a block must have [0, %d] bytes, got %d".formatted(MAX_BLOCK, length));
        }
        byte[] block = bytes((int) length, "block");
        if (!Arrays.equals(bytes(SYNC_BYTES, "sync marker"), sync)) {
            throw new DamagedFileException("the block does not end with the sync marker");
        }
        return codec.equals("deflate") ? inflate(block) : block;
    }

    private static byte[] inflate(byte[] block) throws IOException {
        Inflater inflater = new Inflater(true);
        try {
            inflater.setInput(block);
            ByteArrayOutputStream out = new ByteArrayOutputStream(4 * block.length);
            byte[] buffer = new byte[64 * 1024];
            while (!inflater.finished()) {
                int n = inflater.inflate(buffer);
                if (n == 0 && !inflater.finished()) {
                    throw new DamagedFileException("the compressed block is cut off");
                }
                if (out.size() + n > MAX_BLOCK) {
                    throw new DamagedFileException(
                            "a block must not inflate to more than " + MAX_BLOCK + " bytes");
                }
                out.write(buffer, 0, n);
            }
            return out.toByteArray();
        } catch (DataFormatException e) {
            throw new DamagedFileException("the compressed block is damaged");
        } finally {
            inflater.end();
        }
    }

    /** A zigzag number of variable length. */
    private long number(String what) throws IOException {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            int b = bytes(1, what)[0];
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                return (value >>> 1) ^ -(value & 1);
            }
        }
        throw new DamagedFileException(what + " has a number of more than 64 bits");
    }

    private byte[] bytes(int length, String what) throws IOException {
        if (length > size - position) {
            throw new DamagedFileException("the file is cut off within " + what);
        }
        byte[] bytes = new byte[length];
        try {
            in.readFully(bytes);
        } catch (EOFException e) { // the file became shorter while it was read
            throw new DamagedFileException("the file is cut off within " + what);
        }
        position += length;
        return bytes;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
