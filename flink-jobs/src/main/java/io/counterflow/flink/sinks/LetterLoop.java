package io.counterflow.flink.sinks;

import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RetractionRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.wire.ImpressionHeadReader;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.avro.specific.SpecificRecordBase;

/** Finds the loop of a refused record, as far as its bytes can be read. Not thread-safe. */
final class LetterLoop {

    private final ImpressionHeadReader impressions = new ImpressionHeadReader();
    private final List<Kind<?>> kinds =
            List.of(
                    new Kind<>(WireCodec.of(RewardRecord.class), RewardRecord::getLoop),
                    new Kind<>(WireCodec.of(ActivationRecord.class), ActivationRecord::getLoop),
                    new Kind<>(WireCodec.of(RetractionRecord.class), RetractionRecord::getLoop),
                    new Kind<>(WireCodec.of(LoopSpecRecord.class), LoopSpecRecord::getLoop),
                    new Kind<>(
                            WireCodec.of(RolloutCommandRecord.class),
                            RolloutCommandRecord::getLoop));

    private interface Name<T> {
        String of(T record);
    }

    private record Kind<T extends SpecificRecordBase>(WireCodec<T> codec, Name<T> name) {
        String loop(byte[] value) throws UndecodableRecordException {
            return name.of(codec.decode(value));
        }
    }

    /** The loop that a record names; {@link LoopTally#NO_LOOP} if it cannot be read. */
    String of(DeadLetterRecord letter) {
        ByteBuffer buffer = letter.getValue();
        if (buffer == null) {
            return LoopTally.NO_LOOP;
        }
        byte[] value = new byte[buffer.remaining()];
        buffer.duplicate().get(value); // its position stays
        try {
            for (Kind<?> kind : kinds) {
                if (kind.codec().accepts(value)) {
                    return kind.loop(value);
                }
            }
            return impressions.read(value).loop();
        } catch (UndecodableRecordException e) {
            return LoopTally.NO_LOOP; // the reason why it is a letter
        }
    }
}
