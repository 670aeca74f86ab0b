package io.counterflow.schemas.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Container files built by hand, with wrong lengths. */
final class AvroBlocksTest {

    private final ByteArrayOutputStream file = new ByteArrayOutputStream();

    private AvroBlocks blocks() {
        return new AvroBlocks(new ByteArrayInputStream(file.toByteArray()), file.size());
    }

    private void number(long value) {
        long zigzag = (value << 1) ^ (value >> 63);
        while ((zigzag & ~0x7FL) != 0) {
            file.write((int) ((zigzag & 0x7F) | 0x80));
            zigzag >>>= 7;
        }
        file.write((int) zigzag);
    }

    private void text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        number(bytes.length);
        file.writeBytes(bytes);
    }

    private void header(String codec) {
        header(codec, "\"int\"");
    }

    private void header(String codec, String schema) {
        file.writeBytes(new byte[] {'O', 'b', 'j', 1});
        number(2);
        text("avro.schema");
        text(schema);
        text("avro.codec");
        text(codec);
        number(0);
        file.writeBytes(new byte[16]);
    }

    private void assertDamaged(String message) {
        assertThatExceptionOfType(DamagedFileException.class)
                .isThrownBy(
                        () -> {
                            AvroBlocks blocks = blocks();
                            blocks.open();
                            blocks.next();
                        })
                .withMessageContaining(message);
    }

    @Test
    void aBlockIsReadUnchanged() throws IOException {
        header("null");
        number(1);
        number(3);
        file.writeBytes(new byte[] {7, 8, 9});
        file.writeBytes(new byte[16]);
        AvroBlocks blocks = blocks();
        assertThat(blocks.open().getType()).isEqualTo(Schema.Type.INT);
        assertThat(blocks.hasNext()).isTrue();
        assertThat(blocks.next()).containsExactly(7, 8, 9);
        assertThat(blocks.records()).isEqualTo(1);
        assertThat(blocks.hasNext()).isFalse();
    }

    @Test
    void aLengthBeyondTheFileIsRefusedBeforeItIsAllocated() {
        header("null");
        number(1);
        number(60L << 20);
        assertDamaged("the file is cut off within block");
    }

    @Test
    void aLengthBeyondTheLimitIsRefused() {
        header("null");
        number(1);
        number(Long.MAX_VALUE);
        assertDamaged("a block must have [0, 67108864] bytes, got 9223372036854775807");
    }

    @Test
    void aBlockThatInflatesToTooManyBytesIsRefused() throws IOException {
        ByteArrayOutputStream bomb = new ByteArrayOutputStream();
        try (DeflaterOutputStream out =
                new DeflaterOutputStream(bomb, new Deflater(Deflater.BEST_COMPRESSION, true))) {
            byte[] zeros = new byte[1 << 20];
            for (int i = 0; i < 65; i++) {
                out.write(zeros);
            }
        }
        header("deflate");
        number(1);
        number(bomb.size());
        file.writeBytes(bomb.toByteArray());
        file.writeBytes(new byte[16]);
        assertDamaged("must not inflate to more than 67108864 bytes");
    }

    @Test
    void aHeaderWithTooManyEntriesIsRefused() {
        file.writeBytes(new byte[] {'O', 'b', 'j', 1});
        number(Long.MIN_VALUE);
        number(1);
        assertDamaged("header must not have more than 1000 entries");
    }

    @Test
    void anotherCompressionIsRefused() {
        header("snappy");
        assertDamaged("avro.codec must be null or deflate");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "\"strange\"",
                "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"f\",\"type\":\"lo)g\","
                        + "\"default\":0}]}",
                "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"f\",\"type\":\"long\","
                        + "\"default\":\"x\"}]}",
            })
    void anInvalidSchemaIsRefused(String schema) {
        header("null", schema);
        assertDamaged("avro.schema is not a schema");
    }

    @Test
    void aWrongSyncMarkerIsRefused() {
        header("null");
        number(1);
        number(0);
        file.writeBytes(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
        assertDamaged("does not end with the sync marker");
    }
}
