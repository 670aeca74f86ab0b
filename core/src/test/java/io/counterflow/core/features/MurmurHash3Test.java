package io.counterflow.core.features;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MurmurHash3Test {

    @ParameterizedTest
    @CsvSource({
        "'', 0, 0",
        "'', 1, 514e28b7",
        "'', ffffffff, 81f16f39",
        "a, 9747b28c, 7fa09ea6",
        "aa, 9747b28c, 5d211726",
        "aaa, 9747b28c, 283e0130",
        "aaaa, 9747b28c, 5a97808a",
        "hello, 0, 248bfa47",
        "'hello, world', 0, 149bbb7f",
        "'Hello, world!', 9747b28c, 24884cba",
        "The quick brown fox jumps over the lazy dog, 0, 2e4ff723"
    })
    void textHasItsPublishedHash(String text, String seed, String hash) {
        assertThat(MurmurHash3.hash(text, Integer.parseUnsignedInt(seed, 16)))
                .isEqualTo(Integer.parseUnsignedInt(hash, 16));
    }

    @Test
    void bytesOfEveryLengthHaveThePublishedVerificationValue() {
        // SMHasher: hashes of {}, {0}, {0, 1}, … with seeds 256, 255, …, hashed themselves.
        byte[] hashes = new byte[4 * 256];
        for (int length = 0; length < 256; length++) {
            byte[] key = new byte[length];
            for (int i = 0; i < length; i++) {
                key[i] = (byte) i;
            }
            int hash = MurmurHash3.hash(key, 256 - length);
            for (int i = 0; i < 4; i++) {
                hashes[4 * length + i] = (byte) (hash >>> (8 * i));
            }
        }
        assertThat(MurmurHash3.hash(hashes, 0)).isEqualTo(0xb0f57ee3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "country", "ä", "aä", "日本語の名前", "x😀y", "\0", "\u007f\u0080"})
    void textHashesAsItsUtf8Bytes(String text) {
        assertThat(MurmurHash3.hash(text, 42))
                .isEqualTo(MurmurHash3.hash(text.getBytes(StandardCharsets.UTF_8), 42));
    }

    @Test
    void aSurrogateWithoutItsPartnerCountsAsAQuestionMark() {
        assertThat(MurmurHash3.hash("a\ud83d", 0)).isEqualTo(MurmurHash3.hash("a?", 0));
    }

    @Test
    void aNumberHashesAsItsFourBytes() {
        assertThat(MurmurHash3.hash(0x04030201, 9))
                .isEqualTo(MurmurHash3.hash(new byte[] {1, 2, 3, 4}, 9));
        assertThat(MurmurHash3.hash(0x87654321, 0)).isEqualTo(0xf55b516b); // published
    }
}
