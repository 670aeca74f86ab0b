package io.counterflow.schemas.topics;

import io.counterflow.schemas.record.JournalKindRecord;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import org.jspecify.annotations.Nullable;

/** Tells what entries of the journal are. Not thread-safe. */
public final class JournalReader {

    private final WireCodec<JournalRecord> codec = WireCodec.of(JournalRecord.class);

    /** Whether a record of the journal is an example. */
    public boolean isExample(byte @Nullable [] value) {
        try {
            return value != null && codec.decode(value).getKind() == JournalKindRecord.EXAMPLE;
        } catch (UndecodableRecordException e) {
            return false; // of a newer version
        }
    }
}
