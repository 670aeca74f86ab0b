package io.counterflow.core.features;

import java.nio.charset.StandardCharsets;

/**
 * MurmurHash3, the variant x86 with 32 bits (Austin Appleby, public domain).
 *
 * <p>Blocks of four bytes, little-endian: k ← rotl(k · 0xcc9e2d51, 15) · 0x1b873593; h ← rotl(h ⊕
 * k, 13) · 5 + 0xe6546b64. The remaining bytes are a last k without the second step; then h ← h ⊕
 * length, and {@link #mix}. Text is hashed as UTF-8; an unpaired surrogate is hashed as "?".
 *
 * <p>Weights of hashed models are addressed by these values: a change would invalidate every stored
 * policy.
 */
final class MurmurHash3 {

    private static final int C1 = 0xcc9e2d51;
    private static final int C2 = 0x1b873593;

    private MurmurHash3() {}

    /** The hash of a text's UTF-8 bytes. Allocates nothing if the text is ASCII. */
    public static int hash(String text, int seed) {
        int length = text.length();
        for (int i = 0; i < length; i++) {
            if (text.charAt(i) >= 0x80) {
                return hash(text.getBytes(StandardCharsets.UTF_8), seed);
            }
        }
        int h = seed;
        int i = 0;
        for (; i + 4 <= length; i += 4) {
            h =
                    afterBlock(
                            h,
                            text.charAt(i)
                                    | text.charAt(i + 1) << 8
                                    | text.charAt(i + 2) << 16
                                    | text.charAt(i + 3) << 24);
        }
        int tail = 0;
        for (int shift = 0; i < length; i++, shift += 8) {
            tail |= text.charAt(i) << shift;
        }
        return mix(h ^ scrambled(tail) ^ length);
    }

    /** The hash of some bytes. {@code bytes} is not modified. */
    public static int hash(byte[] bytes, int seed) {
        int length = bytes.length;
        int h = seed;
        int i = 0;
        for (; i + 4 <= length; i += 4) {
            h =
                    afterBlock(
                            h,
                            (bytes[i] & 0xff)
                                    | (bytes[i + 1] & 0xff) << 8
                                    | (bytes[i + 2] & 0xff) << 16
                                    | bytes[i + 3] << 24);
        }
        int tail = 0;
        for (int shift = 0; i < length; i++, shift += 8) {
            tail |= (bytes[i] & 0xff) << shift;
        }
        return mix(h ^ scrambled(tail) ^ length);
    }

    /** The hash of the four bytes of a whole number, little-endian. */
    public static int hash(int number, int seed) {
        return mix(afterBlock(seed, number) ^ Integer.BYTES);
    }

    /** The finaliser: every bit of the result depends on every bit of {@code h}; 0 stays 0. */
    public static int mix(int h) {
        int m = h;
        m ^= m >>> 16;
        m *= 0x85ebca6b;
        m ^= m >>> 13;
        m *= 0xc2b2ae35;
        return m ^ (m >>> 16);
    }

    private static int afterBlock(int h, int block) {
        return Integer.rotateLeft(h ^ scrambled(block), 13) * 5 + 0xe6546b64;
    }

    private static int scrambled(int block) {
        return Integer.rotateLeft(block * C1, 15) * C2;
    }
}
