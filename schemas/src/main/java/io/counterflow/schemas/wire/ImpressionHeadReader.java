package io.counterflow.schemas.wire;

import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RewardAggregationRecord;
import io.counterflow.schemas.wire.UndecodableRecordException.Reason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads the heads of impressions. The rest of the bytes is neither read nor checked, unless they
 * were written with an earlier version of the schema: such an impression is decoded as a whole.
 *
 * <p>Safe for untrusted bytes, like {@link WireCodec}. Not thread safe.
 */
public final class ImpressionHeadReader {

    private static final VarHandle DOUBLE =
            MethodHandles.byteArrayViewVarHandle(double[].class, ByteOrder.LITTLE_ENDIAN);

    /** In the order of the schema, so that the position is the number in the bytes. */
    private static final RewardAggregationRecord[] AGGREGATIONS = RewardAggregationRecord.values();

    private static final int MAX_VARINT_BITS = 64;
    private static final byte[] NONE = {};

    private final WireCodec<ImpressionRecord> codec = WireCodec.of(ImpressionRecord.class);
    private byte[] bytes = NONE;
    private int position;

    public ImpressionHead read(byte[] impression) throws UndecodableRecordException {
        position = codec.currentBody(impression);
        if (position < 0) {
            return ImpressionHead.of(codec.decode(impression));
        }
        bytes = impression;
        try {
            return new ImpressionHead(
                    string(),
                    string(),
                    number(),
                    number(),
                    number(),
                    number(),
                    decimal(),
                    aggregation(),
                    decimal(),
                    flag(),
                    optionalDecimal(),
                    optionalDecimal(),
                    optionalDecimal());
        } finally {
            bytes = NONE; // does not keep the bytes of the caller
        }
    }

    private String string() throws UndecodableRecordException {
        long length = number();
        if (length < 0) {
            throw malformed("a length below 0");
        }
        int start = skip(length);
        return new String(bytes, start, position - start, StandardCharsets.UTF_8);
    }

    /** Avro's variable-length encoding: seven bits per byte, lowest first, signs alternating. */
    private long number() throws UndecodableRecordException {
        long encoded = 0;
        for (int shift = 0; shift < MAX_VARINT_BITS; shift += 7) {
            int next = bytes[skip(1)];
            encoded |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return (encoded >>> 1) ^ -(encoded & 1);
            }
        }
        throw malformed("a number of more than 64 bits");
    }

    private double decimal() throws UndecodableRecordException {
        return (double) DOUBLE.get(bytes, skip(Double.BYTES));
    }

    private @Nullable Double optionalDecimal() throws UndecodableRecordException {
        return select("union", 2) == 0 ? null : decimal();
    }

    private boolean flag() throws UndecodableRecordException {
        return bytes[skip(1)] == 1;
    }

    private RewardAggregationRecord aggregation() throws UndecodableRecordException {
        return AGGREGATIONS[select("rewardAggregation", AGGREGATIONS.length)];
    }

    private int select(String what, int choices) throws UndecodableRecordException {
        long selected = number();
        if (selected < 0 || selected >= choices) {
            throw malformed("a " + what + " that the schema does not have");
        }
        return (int) selected;
    }

    /** Moves on by a number of bytes, and returns where they start. */
    private int skip(long count) throws UndecodableRecordException {
        int start = position;
        if (count > bytes.length - start) {
            throw new UndecodableRecordException(
                    Reason.TRUNCATED,
                    "ImpressionRecord ends too early, after %d bytes".formatted(bytes.length));
        }
        position = start + (int) count;
        return start;
    }

    private static UndecodableRecordException malformed(String what) {
        return new UndecodableRecordException(
                Reason.MALFORMED, "the head of ImpressionRecord has " + what);
    }
}
