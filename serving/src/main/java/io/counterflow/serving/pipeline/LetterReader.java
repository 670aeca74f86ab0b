package io.counterflow.serving.pipeline;

import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Reads late records and dead letters. Not safe for use by several threads. */
final class LetterReader {

    private static final int MAX_LENGTH = 300;

    private final WireCodec<DeadLetterRecord> letters = WireCodec.of(DeadLetterRecord.class);
    private final WireCodec<ImpressionRecord> impressions = WireCodec.of(ImpressionRecord.class);
    private final WireCodec<RewardRecord> rewards = WireCodec.of(RewardRecord.class);
    private final WireCodec<ActivationRecord> activations = WireCodec.of(ActivationRecord.class);

    /**
     * A letter.
     *
     * @param loop the loop of the record; empty if it is unknown
     * @param description what was wrong
     */
    record Letter(Optional<String> loop, String description) {}

    Optional<Letter> read(byte[] value) {
        try {
            if (!letters.accepts(value)) {
                return Optional.empty();
            }
            DeadLetterRecord letter = letters.decode(value);
            String description = letter.getRule() + ": " + letter.getReason();
            return Optional.of(
                    new Letter(
                            loop(letter.getValue()),
                            description.length() <= MAX_LENGTH
                                    ? description
                                    : description.substring(0, MAX_LENGTH)));
        } catch (UndecodableRecordException e) {
            return Optional.empty();
        }
    }

    private Optional<String> loop(ByteBuffer buffer) {
        if (buffer == null) {
            return Optional.empty();
        }
        byte[] value = new byte[buffer.remaining()];
        buffer.duplicate().get(value);
        try {
            if (impressions.accepts(value)) {
                return Optional.of(impressions.decode(value).getLoop());
            }
            if (rewards.accepts(value)) {
                return Optional.of(rewards.decode(value).getLoop());
            }
            if (activations.accepts(value)) {
                return Optional.of(activations.decode(value).getLoop());
            }
        } catch (UndecodableRecordException e) {
            return Optional.empty(); // the reason why it is a letter
        }
        return Optional.empty();
    }
}
