package io.counterflow.client.rank;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.UUID;

/**
 * Random ids that cannot be guessed, in the form of a UUID. Each thread draws the bytes of many ids
 * at a time, because each call of the secure generator takes a lock and a system call.
 */
public final class RandomIds {

    private static final int IDS_PER_DRAW = 128;
    private static final int BYTES_PER_ID = 16;

    private static final ThreadLocal<RandomIds> OF_THREAD = ThreadLocal.withInitial(RandomIds::new);

    private final SecureRandom random = new SecureRandom();
    private final byte[] drawn = new byte[IDS_PER_DRAW * BYTES_PER_ID];
    private final ByteBuffer left = ByteBuffer.wrap(drawn).position(drawn.length);

    private RandomIds() {}

    /** A new id. */
    public static String next() {
        return OF_THREAD.get().nextOfThread();
    }

    private String nextOfThread() {
        if (!left.hasRemaining()) {
            random.nextBytes(drawn);
            left.rewind();
        }
        long high = (left.getLong() & ~0xf000L) | 0x4000L; // version 4: random
        long low = (left.getLong() & (Long.MAX_VALUE >> 1)) | Long.MIN_VALUE; // variant 2
        return new UUID(high, low).toString();
    }
}
