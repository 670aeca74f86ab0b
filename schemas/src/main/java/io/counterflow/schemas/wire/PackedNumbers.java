package io.counterflow.schemas.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Arrays of numbers as bytes: little-endian, 4 bytes each, without separators. */
public final class PackedNumbers {

    private PackedNumbers() {}

    /** Packs floats without changing a bit. */
    public static ByteBuffer pack(float[] values) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(values.length, Float.BYTES));
        bytes.order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().put(values);
        return bytes;
    }

    public static ByteBuffer pack(int[] values) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(values.length, Integer.BYTES));
        bytes.order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().put(values);
        return bytes;
    }

    /**
     * The floats that were packed.
     *
     * @param field the name of the field in messages
     * @param bytes not modified, including its position
     */
    public static float[] floats(String field, ByteBuffer bytes) {
        float[] values = new float[count(field, bytes)];
        bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
        return values;
    }

    /** The ints that were packed; arguments as for {@link #floats}. */
    public static int[] ints(String field, ByteBuffer bytes) {
        int[] values = new int[count(field, bytes)];
        bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(values);
        return values;
    }

    private static int count(String field, ByteBuffer bytes) {
        if (bytes.remaining() % 4 != 0) {
            throw new IllegalArgumentException(
                    "%s must be whole numbers of 4 bytes, got %d bytes"
                            .formatted(field, bytes.remaining()));
        }
        return bytes.remaining() / 4;
    }
}
