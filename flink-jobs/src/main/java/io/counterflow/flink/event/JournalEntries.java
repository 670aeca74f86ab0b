package io.counterflow.flink.event;

import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.schemas.record.JournalKindRecord;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.record.OutcomeRecord;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Encodes events as entries of the journal. Not thread-safe. */
public final class JournalEntries {

    /** Size of an entry in addition to the record, its loop and the key. */
    public static final int OVERHEAD_BYTES = 256;

    private static final byte[] NO_RECORD = {};

    private final WireCodec<JournalRecord> codec = WireCodec.of(JournalRecord.class);

    /** The entry of an event that its loop takes as the given number. */
    public byte[] encode(LoopEvent event, long sequence) {
        RawRecord raw = event.raw();
        byte[] value = raw.value();
        JournalRecord entry = new JournalRecord();
        entry.setKind(JournalKindRecord.valueOf(event.kind().name()));
        entry.setLoop(event.loop());
        entry.setSequence(sequence);
        entry.setTime(Instant.EPOCH.plus(event.timeMicros(), ChronoUnit.MICROS));
        entry.setPartition(raw.partition());
        entry.setOffset(raw.offset());
        entry.setRecord(ByteBuffer.wrap(value == null ? NO_RECORD : value));
        entry.setOutcome(toRecord(event.outcome()));
        return codec.encode(entry);
    }

    private static @Nullable OutcomeRecord toRecord(@Nullable Outcome outcome) {
        return outcome == null
                ? null
                : new OutcomeRecord(
                        outcome.reward(),
                        outcome.guardrailReward(),
                        outcome.origin(),
                        outcome.rewards());
    }

    static @Nullable Outcome fromRecord(@Nullable OutcomeRecord record) {
        return record == null
                ? null
                : new Outcome(
                        record.getReward(),
                        record.getGuardrailReward(),
                        record.getOrigin(),
                        record.getRewards());
    }
}
