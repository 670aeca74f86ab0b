package io.counterflow.serving.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.RewardMetricRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class LetterReaderTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final LetterReader reader = new LetterReader();

    private Optional<LetterReader.Letter> read(byte[] inner, String reason) {
        DeadLetterRecord letter = letter();
        letter.setReason(reason);
        letter.setValue(ByteBuffer.wrap(inner));
        return reader.read(WireCodec.of(DeadLetterRecord.class).encode(letter));
    }

    private static DeadLetterRecord letter() {
        DeadLetterRecord letter = new DeadLetterRecord();
        letter.setTopic("test.rewards");
        letter.setTime(NOW);
        letter.setRule("TIME");
        return letter;
    }

    @Test
    void theLoopIsThatOfTheRecordWithin() {
        byte[] reward =
                WireCodec.of(RewardRecord.class)
                        .encode(
                                new RewardRecord(
                                        "r", "e", "home", NOW, 1.0, RewardMetricRecord.REWARD));
        assertThat(read(reward, "too late"))
                .hasValue(new LetterReader.Letter(Optional.of("home"), "TIME: too late"));
        byte[] activation =
                WireCodec.of(ActivationRecord.class)
                        .encode(new ActivationRecord("e", "other", NOW));
        assertThat(read(activation, "too late").orElseThrow().loop()).hasValue("other");
    }

    @Test
    void otherBytesHaveNoLoop() {
        assertThat(read(new byte[] {1, 2, 3}, "damaged").orElseThrow().loop()).isEmpty();
        assertThat(read(new byte[0], "empty").orElseThrow().loop()).isEmpty();
        byte[] heartbeat =
                WireCodec.of(HeartbeatRecord.class).encode(new HeartbeatRecord("s", NOW));
        assertThat(read(heartbeat, "odd").orElseThrow().loop()).isEmpty();
    }

    @Test
    void aLongDescriptionIsCut() {
        assertThat(read(new byte[0], "x".repeat(1_000)).orElseThrow().description()).hasSize(300);
    }

    @Test
    void recordsThatAreNoLettersAreSkipped() {
        byte[] heartbeat =
                WireCodec.of(HeartbeatRecord.class).encode(new HeartbeatRecord("s", NOW));
        assertThat(reader.read(heartbeat)).isEmpty();
        assertThat(reader.read(new byte[] {9})).isEmpty();
    }
}
