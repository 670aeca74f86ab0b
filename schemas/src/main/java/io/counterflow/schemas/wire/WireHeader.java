package io.counterflow.schemas.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.apache.avro.Schema;

/**
 * The header of a record in single-object encoding: the marker {@code C3 01}, and the CRC-64-AVRO
 * fingerprint of the writer's schema as 8 little-endian bytes.
 */
public final class WireHeader {

    /** Length of the header. */
    public static final int BYTES = 10;

    private static final byte MARKER_0 = (byte) 0xC3;
    private static final byte MARKER_1 = 0x01;
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private WireHeader() {}

    /** The header of records that are written with a schema. */
    public static byte[] of(Schema schema) {
        return of(SchemaHistory.fingerprint(schema));
    }

    /** The header of records that are written with the schema of a fingerprint. */
    static byte[] of(long fingerprint) {
        byte[] header = new byte[BYTES];
        header[0] = MARKER_0;
        header[1] = MARKER_1;
        LONG.set(header, 2, fingerprint);
        return header;
    }

    /** Whether a value starts with a header. */
    public static boolean isPresent(byte[] value) {
        return value.length >= BYTES && value[0] == MARKER_0 && value[1] == MARKER_1;
    }

    /** The fingerprint of a value that starts with a header. */
    public static long fingerprint(byte[] value) {
        return (long) LONG.get(value, 2);
    }
}
