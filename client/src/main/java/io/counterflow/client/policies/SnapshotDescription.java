package io.counterflow.client.policies;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.snapshot.SnapshotJson;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;

/** A snapshot without its weights. It is kept as the bytes of a record, which are few. */
public final class SnapshotDescription {

    private final byte[] record;

    private SnapshotDescription(byte[] record) {
        this.record = record;
    }

    static SnapshotDescription of(PolicySnapshotRecord snapshot) {
        return new SnapshotDescription(
                WireCodec.of(PolicySnapshotRecord.class)
                        .encode(SnapshotConversion.withoutWeights(snapshot)));
    }

    long bytes() {
        return record.length;
    }

    /** Writes it as the generator's next value. */
    public void write(JsonGenerator json) throws IOException {
        try {
            SnapshotJson.writeDescription(
                    WireCodec.of(PolicySnapshotRecord.class).decode(record), json);
        } catch (UndecodableRecordException e) {
            throw new IllegalStateException("a description cannot be decoded", e);
        }
    }

    @Override
    public String toString() {
        return "description of %d bytes".formatted(record.length);
    }
}
