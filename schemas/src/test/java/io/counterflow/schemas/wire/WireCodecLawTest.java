package io.counterflow.schemas.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.schemas.record.RewardRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.avro.specific.SpecificRecordBase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class WireCodecLawTest {

    static Stream<Arguments> recordsAndSeeds() {
        return DrawnRecords.TYPES.stream()
                .flatMap(
                        type -> LongStream.range(0, 30).mapToObj(seed -> Arguments.of(type, seed)));
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource("recordsAndSeeds")
    <T extends SpecificRecordBase> void aRoundTripChangesNothing(Class<T> type, long seed)
            throws UndecodableRecordException {
        WireCodec<T> codec = WireCodec.of(type);
        DrawnRecords draws = new DrawnRecords(seed);
        T first = draws.draw(type);
        T second = draws.draw(type);
        byte[] firstBytes = codec.encode(first);
        byte[] secondBytes = codec.encode(second); // the same buffers again
        assertThat(codec.decode(firstBytes)).isEqualTo(first);
        assertThat(codec.decode(secondBytes)).isEqualTo(second);
        assertThat(codec.encode(codec.decode(firstBytes))).isEqualTo(firstBytes);
    }

    @Test
    void bytesAreWhatAvrosOwnSingleObjectEncoderGives() throws IOException {
        RewardRecord reward = new DrawnRecords(1).draw(RewardRecord.class);
        ByteBuffer expected = RewardRecord.getEncoder().encode(reward);
        assertThat(ByteBuffer.wrap(WireCodec.of(RewardRecord.class).encode(reward)))
                .isEqualTo(expected);
    }

    @Test
    void aRecordThatCannotBeEncodedLeavesNothingBehind() throws UndecodableRecordException {
        WireCodec<RewardRecord> codec = WireCodec.of(RewardRecord.class);
        RewardRecord reward = new DrawnRecords(2).draw(RewardRecord.class);
        RewardRecord half = new DrawnRecords(2).draw(RewardRecord.class);
        half.setLoop(null);
        assertThatThrownBy(() -> codec.encode(half)).isInstanceOf(RuntimeException.class);
        assertThat(codec.decode(codec.encode(reward))).isEqualTo(reward);
    }

    @Test
    void aCodecAcceptsOnlyItsOwnRecords() {
        for (Class<? extends SpecificRecordBase> type : DrawnRecords.TYPES) {
            byte[] bytes = encodeDrawn(type);
            for (Class<? extends SpecificRecordBase> other : DrawnRecords.TYPES) {
                assertThat(WireCodec.of(other).accepts(bytes)).isEqualTo(type == other);
            }
        }
    }

    private static <T extends SpecificRecordBase> byte[] encodeDrawn(Class<T> type) {
        return WireCodec.of(type).encode(new DrawnRecords(3).draw(type));
    }
}
