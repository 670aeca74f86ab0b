package io.counterflow.client.policies;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.snapshot.SnapshotJson;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.util.Optional;

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
        SnapshotJson.writeDescription(decoded(), json);
    }

    /**
     * The bytes of a snapshot file with this description.
     *
     * @param model the parameters of the version
     * @param encoder how the loop hashes named features
     */
    public byte[] withModel(LinearModel model, Optional<EncoderSpec> encoder) {
        return WireCodec.of(PolicySnapshotRecord.class)
                .encode(SnapshotConversion.withModel(decoded(), model, encoder));
    }

    private PolicySnapshotRecord decoded() {
        try {
            return WireCodec.of(PolicySnapshotRecord.class).decode(record);
        } catch (UndecodableRecordException e) {
            throw new IllegalStateException("a description cannot be decoded", e);
        }
    }

    @Override
    public String toString() {
        return "description of %d bytes".formatted(record.length);
    }
}
