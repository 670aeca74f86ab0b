package io.counterflow.schemas.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Checks the bytes, because a round trip would not detect a change in both directions. */
final class PackedNumbersTest {

    @Test
    void floatsAreLittleEndianBytes() {
        ByteBuffer packed = PackedNumbers.pack(new float[] {1.0f, -2.5f});
        byte[] bytes = {0x00, 0x00, (byte) 0x80, 0x3F, 0x00, 0x00, 0x20, (byte) 0xC0};
        assertThat(packed).isEqualTo(ByteBuffer.wrap(bytes));
        assertThat(PackedNumbers.floats("x", ByteBuffer.wrap(bytes))).containsExactly(1.0f, -2.5f);
    }

    @Test
    void intsAreLittleEndianBytes() {
        byte[] bytes = {0x04, 0x03, 0x02, 0x01, (byte) 0xFE, -1, -1, -1};
        assertThat(PackedNumbers.pack(new int[] {0x01020304, -2}))
                .isEqualTo(ByteBuffer.wrap(bytes));
        assertThat(PackedNumbers.ints("x", ByteBuffer.wrap(bytes))).containsExactly(0x01020304, -2);
    }

    @Test
    void readingLeavesThePositionAlone() {
        ByteBuffer bytes = ByteBuffer.allocate(12).position(4);
        assertThat(PackedNumbers.floats("x", bytes)).hasSize(2);
        assertThat(bytes.position()).isEqualTo(4);
    }

    @Test
    void partOfANumberIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PackedNumbers.floats("features.values", ByteBuffer.allocate(7)))
                .withMessage("features.values must be whole numbers of 4 bytes, got 7 bytes");
    }
}
