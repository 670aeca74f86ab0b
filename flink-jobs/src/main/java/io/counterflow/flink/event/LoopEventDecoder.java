package io.counterflow.flink.event;

import io.counterflow.flink.ingest.BrokenRuleException;
import io.counterflow.flink.ingest.ImpressionRules;
import io.counterflow.flink.ingest.IngestLimits;
import io.counterflow.flink.ingest.IngestRule;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.flink.ingest.RecordDecoder;
import io.counterflow.flink.ingest.RecordRules;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.LoggedExampleRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Instant;
import java.util.Locale;

/**
 * Decodes specs, commands and examples. The loop checks later whether it can use them: that depends
 * on its state at that time.
 */
public final class LoopEventDecoder {

    /** Maximum length of {@code requestedBy} and {@code reason} of a command. */
    private static final int MAX_TEXT = 4_096;

    private final RecordRules rules;
    private final ImpressionRules impressionRules;
    private final WireCodec<LoopSpecRecord> specs = WireCodec.of(LoopSpecRecord.class);
    private final WireCodec<RolloutCommandRecord> commands =
            WireCodec.of(RolloutCommandRecord.class);
    private final WireCodec<LoggedExampleRecord> examples = WireCodec.of(LoggedExampleRecord.class);

    private LoopEventDecoder(IngestLimits limits) {
        this.rules = new RecordRules(limits);
        this.impressionRules = new ImpressionRules(limits);
    }

    /** A decoder of the topic {@code loops}. */
    public static RecordDecoder<LoopEvent> ofSpecs(IngestLimits limits) {
        return new RecordDecoder<>(limits, new LoopEventDecoder(limits)::spec);
    }

    /** A decoder of the topic {@code rollout-commands}. */
    public static RecordDecoder<LoopEvent> ofCommands(IngestLimits limits) {
        return new RecordDecoder<>(limits, new LoopEventDecoder(limits)::command);
    }

    /** A decoder of the topic {@code examples}. */
    public static RecordDecoder<LoopEvent> ofExamples(IngestLimits limits) {
        return new RecordDecoder<>(limits, new LoopEventDecoder(limits)::example);
    }

    /** The id of a spec: its version with leading zeros, so that ids sort like versions. */
    static String specId(long version) {
        return String.format(Locale.ROOT, "%019d", version);
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
                LoopEventKind.SPEC, spec.getLoop(), spec.getTime(), specId(spec.getVersion()), raw);
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

    private LoopEvent example(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        LoggedExampleRecord example = examples.decode(value);
        ImpressionRecord impression = example.getImpression();
        rules.checkName("eventId", impression.getEventId());
        rules.checkReward("reward", example.getReward());
        rules.checkOptionalReward("guardrailReward", example.getGuardrailReward());
        impressionRules.check(impression);
        rules.checkLoop(impression.getLoop());
        // The time may be ahead of Kafka's timestamp: when the live job is drained, the last
        // attribution windows end in the future.
        rules.checkPlausible(example.getAvailableAt());
        return new LoopEvent(
                LoopEventKind.EXAMPLE,
                impression.getLoop(),
                RecordDecoder.micros(example.getAvailableAt()),
                impression.getEventId(),
                raw);
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
