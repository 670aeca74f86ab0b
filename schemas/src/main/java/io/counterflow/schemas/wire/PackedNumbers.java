package io.counterflow.schemas.wire;

import io.counterflow.core.numeric.Numbers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Rows of numbers as bytes: little-endian, of 4 or 8 bytes each, without separators. */
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
        float[] values = new float[count(field, bytes, Float.BYTES)];
        bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
        return values;
    }

    /** The ints that were packed; arguments as for {@link #floats}. */
    public static int[] ints(String field, ByteBuffer bytes) {
        int[] values = new int[count(field, bytes, Integer.BYTES)];
        bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(values);
        return values;
    }

    /** Packs doubles without changing a bit. */
    public static ByteBuffer pack(Numbers values) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(values.size(), Double.BYTES));
        bytes.order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < values.size(); i++) {
            bytes.putDouble(i * Double.BYTES, values.get(i));
        }
        return bytes;
    }

    /** The doubles that were packed; arguments as for {@link #floats}. */
    public static Numbers numbers(String field, ByteBuffer bytes) {
        double[] values = new double[count(field, bytes, Double.BYTES)];
        bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer().get(values);
        return Numbers.of(values);
    }

    private static int count(String field, ByteBuffer bytes, int size) {
        if (bytes.remaining() % size != 0) {
            throw new IllegalArgumentException(
                    "%s must be whole numbers of %d bytes, got %d bytes"
                            .formatted(field, size, bytes.remaining()));
        }
        return bytes.remaining() / size;
    }
}
