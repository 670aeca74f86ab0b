package io.counterflow.flink.event;

import io.counterflow.flink.ingest.BrokenRuleException;
import io.counterflow.flink.ingest.IngestLimits;
import io.counterflow.flink.ingest.IngestRule;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.flink.ingest.RecordDecoder;
import io.counterflow.flink.ingest.RecordRules;
import io.counterflow.schemas.record.JournalKindRecord;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * Decodes specs, commands and entries of the journal. The loop checks later whether it can use
 * them: that depends on its state at that time.
 */
public final class LoopEventDecoder {

    /** Maximum length of {@code requestedBy} and {@code reason} of a command. */
    private static final int MAX_TEXT = 4_096;

    private final RecordRules rules;
    private final WireCodec<LoopSpecRecord> specs = WireCodec.of(LoopSpecRecord.class);
    private final WireCodec<RolloutCommandRecord> commands =
            WireCodec.of(RolloutCommandRecord.class);
    private final WireCodec<JournalRecord> journal = WireCodec.of(JournalRecord.class);

    private LoopEventDecoder(IngestLimits limits) {
        this.rules = new RecordRules(limits);
    }

    /** A decoder of the topic {@code loops}. */
    public static RecordDecoder<LoopEvent> ofSpecs(IngestLimits limits) {
        LoopEventDecoder decoder = new LoopEventDecoder(limits);
        return new RecordDecoder<>(limits, decoder::spec, decoder::deletion);
    }

    /** A decoder of the topic {@code rollout-commands}. */
    public static RecordDecoder<LoopEvent> ofCommands(IngestLimits limits) {
        return new RecordDecoder<>(limits, new LoopEventDecoder(limits)::command);
    }

    /** A decoder of the topic {@code journal}. */
    public static RecordDecoder<LoopEvent> ofJournal(IngestLimits limits) {
        return new RecordDecoder<>(limits, new LoopEventDecoder(limits)::entry);
    }

    private LoopEvent spec(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        LoopSpecRecord spec = specs.decode(value);
        if (spec.getVersion() < 0) {
            throw new BrokenRuleException(
                    IngestRule.INCONSISTENT,
                    "version must not be negative, got " + spec.getVersion());
        }
        return control(
                LoopEventKind.SPEC,
                spec.getLoop(),
                spec.getTime(),
                Long.toString(spec.getVersion()),
                raw);
    }

    /** A tombstone deletes the loop. It has no time of its own. */
    private LoopEvent deletion(RawRecord raw) throws BrokenRuleException {
        byte[] key = raw.key();
        String loop = key == null ? "" : new String(key, StandardCharsets.UTF_8);
        rules.checkLoop(loop);
        return new LoopEvent(
                LoopEventKind.DELETION, loop, Math.max(0, raw.timestampMs()) * 1_000L, "", raw);
    }

    private LoopEvent command(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        RolloutCommandRecord command = commands.decode(value);
        rules.checkName("commandId", command.getCommandId());
        checkText("requestedBy", command.getRequestedBy());
        checkText("reason", command.getReason());
        return control(
                LoopEventKind.COMMAND,
                command.getLoop(),
                command.getTime(),
                command.getCommandId(),
                raw);
    }

    /**
     * An entry of the journal. The loop has checked it before it wrote the entry, so only its form
     * is checked here.
     */
    private LoopEvent entry(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        JournalRecord entry = journal.decode(value);
        if (entry.getKind() == JournalKindRecord.UNKNOWN || entry.getSequence() < 1) {
            throw new BrokenRuleException(
                    IngestRule.INCONSISTENT,
                    "kind must be known and sequence at least 1, got %s and %d"
                            .formatted(entry.getKind(), entry.getSequence()));
        }
        rules.checkLoop(entry.getLoop());
        byte[] record = new byte[entry.getRecord().remaining()];
        entry.getRecord().get(record);
        LoopEventKind kind = LoopEventKind.valueOf(entry.getKind().name());
        return new LoopEvent(
                kind,
                entry.getLoop(),
                RecordDecoder.micros(entry.getTime()),
                kind == LoopEventKind.COMMAND ? commands.decode(record).getCommandId() : "",
                entry.getSequence(),
                JournalEntries.fromRecord(entry.getOutcome()),
                new RawRecord(
                        raw.topic(),
                        entry.getPartition(),
                        entry.getOffset(),
                        raw.timestampMs(),
                        raw.key(),
                        record));
    }

    private LoopEvent control(
            LoopEventKind kind, String loop, Instant time, String id, RawRecord raw)
            throws BrokenRuleException {
        rules.checkLoop(loop);
        rules.checkTime(time, raw.timestampMs());
        return new LoopEvent(kind, loop, RecordDecoder.micros(time), id, raw);
    }

    private static void checkText(String field, String text) throws BrokenRuleException {
        if (text.length() > MAX_TEXT) {
            throw new BrokenRuleException(
                    IngestRule.TOO_LARGE,
                    "%s must have at most %d characters, got %d"
                            .formatted(field, MAX_TEXT, text.length()));
        }
    }
}
