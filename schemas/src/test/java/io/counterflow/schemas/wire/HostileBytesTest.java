package io.counterflow.schemas.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.management.ThreadMXBean;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.wire.UndecodableRecordException.Reason;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.avro.specific.SpecificRecordBase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class HostileBytesTest {

    /** 2^62 and 2^31 - 9 as Avro writes numbers. */
    private static final byte[] HUGE = HexFormat.of().parseHex("80808080808080808001");

    private static final byte[] LARGE = HexFormat.of().parseHex("eeffffff0f");

    static Stream<Class<? extends SpecificRecordBase>> types() {
        return DrawnRecords.TYPES.stream();
    }

    @ParameterizedTest
    @MethodSource("types")
    <T extends SpecificRecordBase> void mutatedBytesGiveARecordOrAnUndecodableRecordException(
            Class<T> type) {
        WireCodec<T> codec = WireCodec.of(type);
        for (long seed = 0; seed < 2_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] bytes = codec.encode(new DrawnRecords(seed).draw(type));
            byte[] mutated = mutate(bytes, random);
            Throwable thrown = catchThrowable(() -> codec.decode(mutated));
            if (thrown != null) {
                assertThat(thrown)
                        .as("seed %d", seed)
                        .isExactlyInstanceOf(UndecodableRecordException.class);
            }
        }
    }

    private static byte[] mutate(byte[] bytes, SplittableRandom random) {
        byte[] mutated = bytes.clone();
        switch (random.nextInt(4)) {
            case 0 -> mutated = Arrays.copyOf(bytes, random.nextInt(bytes.length));
            case 1 -> mutated = Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(20));
            case 2 -> {
                byte[] length = random.nextBoolean() ? HUGE : LARGE;
                int at = 10 + random.nextInt(bytes.length - 9);
                mutated = Arrays.copyOf(bytes, at + length.length);
                System.arraycopy(length, 0, mutated, at, length.length);
            }
            default -> {
                for (int i = random.nextInt(1, 6); i > 0; i--) {
                    mutated[random.nextInt(mutated.length)] = (byte) random.nextInt();
                }
            }
        }
        return mutated;
    }

    @ParameterizedTest
    @MethodSource("types")
    <T extends SpecificRecordBase> void everyTruncationIsRefused(Class<T> type) {
        WireCodec<T> codec = WireCodec.of(type);
        byte[] bytes = codec.encode(new DrawnRecords(1).draw(type));
        for (int length = 0; length < bytes.length; length++) {
            byte[] head = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> codec.decode(head))
                    .as("the first %d of %d bytes", length, bytes.length)
                    .isInstanceOf(UndecodableRecordException.class);
        }
    }

    @Test
    void theReasonSaysWhatIsWrong() {
        WireCodec<RewardRecord> codec = WireCodec.of(RewardRecord.class);
        byte[] good = codec.encode(new DrawnRecords(1).draw(RewardRecord.class));
        byte[] otherMarker = good.clone();
        otherMarker[1] = 2;
        byte[] otherFingerprint = good.clone();
        otherFingerprint[5] ^= 1;
        byte[] negativeLength = good.clone();
        negativeLength[10] = 1;

        assertReason(codec, new byte[0], Reason.NOT_A_RECORD);
        assertReason(codec, otherMarker, Reason.NOT_A_RECORD);
        assertReason(codec, otherFingerprint, Reason.UNKNOWN_SCHEMA);
        assertReason(codec, Arrays.copyOf(good, good.length - 1), Reason.TRUNCATED);
        assertReason(codec, negativeLength, Reason.MALFORMED);
        assertReason(codec, Arrays.copyOf(good, good.length + 1), Reason.TRAILING_BYTES);
    }

    private static void assertReason(WireCodec<?> codec, byte[] bytes, Reason reason) {
        assertThatThrownBy(() -> codec.decode(bytes))
                .isInstanceOfSatisfying(
                        UndecodableRecordException.class,
                        e -> assertThat(e.reason()).isEqualTo(reason));
    }

    /** A declared gigabyte without data must not be allocated. */
    @Test
    void declaredLengthsAreCheckedAgainstTheAvailableBytes() {
        WireCodec<DeadLetterRecord> letters = WireCodec.of(DeadLetterRecord.class);
        WireCodec<ImpressionRecord> impressions = WireCodec.of(ImpressionRecord.class);
        byte[] letter = letters.encode(new DrawnRecords(5).draw(DeadLetterRecord.class));
        byte[] impression = impressions.encode(new DrawnRecords(5).draw(ImpressionRecord.class));
        for (int at = 10; at < letter.length; at++) {
            assertRefusedCheaply(letters, withLength(letter, at));
        }
        for (int at = 10; at < impression.length; at++) {
            assertRefusedCheaply(impressions, withLength(impression, at));
        }
    }

    private static byte[] withLength(byte[] bytes, int at) {
        byte[] forged = Arrays.copyOf(bytes, bytes.length + LARGE.length);
        System.arraycopy(LARGE, 0, forged, at, LARGE.length);
        System.arraycopy(bytes, at, forged, at + LARGE.length, bytes.length - at);
        return forged;
    }

    private static void assertRefusedCheaply(WireCodec<?> codec, byte[] forged) {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        Throwable thrown = catchThrowable(() -> codec.decode(forged));
        long allocated = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
        assertThat(allocated).isLessThan(4_000_000);
        if (thrown != null) {
            assertThat(thrown).isInstanceOf(UndecodableRecordException.class);
        }
    }
}
