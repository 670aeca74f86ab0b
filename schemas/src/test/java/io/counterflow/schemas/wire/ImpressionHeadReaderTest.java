package io.counterflow.schemas.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.wire.UndecodableRecordException.Reason;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

final class ImpressionHeadReaderTest {

    private final WireCodec<ImpressionRecord> codec = WireCodec.of(ImpressionRecord.class);
    private final ImpressionHeadReader reader = new ImpressionHeadReader();

    @Test
    void theHeadIsThatOfTheWholeRecord() throws Exception {
        for (long seed = 0; seed < 500; seed++) {
            ImpressionRecord record = new DrawnRecords(seed).draw(ImpressionRecord.class);
            assertThat(reader.read(codec.encode(record)))
                    .as("seed %d", seed)
                    .isEqualTo(ImpressionHead.of(record));
        }
    }

    @Test
    void damagedBytesGiveTheHeadOfTheWholeRecordOrAreRefused() {
        for (long seed = 0; seed < 5_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] bytes = codec.encode(new DrawnRecords(seed).draw(ImpressionRecord.class));
            for (int i = random.nextInt(1, 6); i > 0; i--) {
                bytes[random.nextInt(Math.min(80, bytes.length))] = (byte) random.nextInt();
            }
            ImpressionHead whole = null;
            try {
                whole = ImpressionHead.of(codec.decode(bytes));
            } catch (UndecodableRecordException e) {
                // The head may be readable nevertheless.
            }
            try {
                ImpressionHead head = reader.read(bytes);
                if (whole != null) {
                    assertThat(head).as("seed %d", seed).isEqualTo(whole);
                }
            } catch (UndecodableRecordException e) {
                assertThat(whole).as("seed %d: %s", seed, e.getMessage()).isNull();
            }
        }
    }

    @Test
    void theRestIsNotRead() throws Exception {
        ImpressionRecord record = new DrawnRecords(1).draw(ImpressionRecord.class);
        byte[] bytes = codec.encode(record);
        assertThat(reader.read(Arrays.copyOf(bytes, bytes.length - 1)))
                .isEqualTo(ImpressionHead.of(record));
        Schema schema = SchemaHistory.of(ImpressionRecord.class).current();
        List<String> names = schema.getFields().stream().map(Schema.Field::name).toList();
        assertThat(names.subList(0, names.indexOf("features")))
                .as("fields of the head, in the order in which they are read")
                .containsExactly(
                        "eventId",
                        "loop",
                        "policyVersion",
                        "specVersion",
                        "time",
                        "attributionWindowMs",
                        "defaultReward",
                        "rewardAggregation",
                        "rewardZero",
                        "deferred",
                        "guardrailDefaultReward",
                        "reward",
                        "guardrailReward");
    }

    @Test
    void theReasonSaysWhatIsWrong() {
        byte[] good = codec.encode(new DrawnRecords(1).draw(ImpressionRecord.class));
        byte[] otherFingerprint = good.clone();
        otherFingerprint[5] ^= 1;
        byte[] negativeLength = good.clone();
        negativeLength[10] = 1;
        byte[] giantLength = good.clone();
        Arrays.fill(giantLength, 10, 18, (byte) 0xFF);

        assertReason(new byte[] {1, 2, 3}, Reason.NOT_A_RECORD);
        assertReason(otherFingerprint, Reason.UNKNOWN_SCHEMA);
        assertReason(Arrays.copyOf(good, 10), Reason.TRUNCATED);
        assertReason(Arrays.copyOf(good, 20), Reason.TRUNCATED);
        assertReason(negativeLength, Reason.MALFORMED);
        assertThatThrownBy(() -> reader.read(giantLength))
                .isInstanceOf(UndecodableRecordException.class);
    }

    private void assertReason(byte[] bytes, Reason reason) {
        assertThatThrownBy(() -> reader.read(bytes))
                .isInstanceOfSatisfying(
                        UndecodableRecordException.class,
                        e -> assertThat(e.reason()).isEqualTo(reason));
    }
}
