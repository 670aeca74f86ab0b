package io.counterflow.flink.control;

import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.ingest.BrokenRuleException;
import io.counterflow.flink.ingest.ImpressionRules;
import io.counterflow.flink.ingest.IngestLimits;
import io.counterflow.flink.ingest.IngestRule;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.flink.ingest.RecordDecoder;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.LoggedExampleRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Instant;
import java.util.Locale;

/**
 * Understands specs, commands or examples. Whether a spec makes sense, or a command can be
 * followed, depends on what the loop is by then, and is decided there.
 */
public final class LoopEventDecoder extends RecordDecoder<LoopEvent> {

    /** Longest text that a person may give as a reason. */
    private static final int MAX_TEXT = 4_096;

    private final LoopTopic topic;
    private final ImpressionRules impressionRules;
    private final WireCodec<LoopSpecRecord> specs = WireCodec.of(LoopSpecRecord.class);
    private final WireCodec<RolloutCommandRecord> commands =
            WireCodec.of(RolloutCommandRecord.class);
    private final WireCodec<LoggedExampleRecord> examples = WireCodec.of(LoggedExampleRecord.class);

    public LoopEventDecoder(LoopTopic topic, IngestLimits limits) {
        super(limits);
        this.topic = topic;
        this.impressionRules = new ImpressionRules(limits);
    }

    /** The identity of a spec: its version, such that the order of texts is that of numbers. */
    public static String specId(long version) {
        return String.format(Locale.ROOT, "%019d", version);
    }

    @Override
    protected LoopEvent event(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        return switch (topic) {
            case LOOPS -> spec(raw, value);
            case ROLLOUT_COMMANDS -> command(raw, value);
            case EXAMPLES -> example(raw, value);
        };
    }

    private LoopEvent spec(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        LoopSpecRecord spec = specs.decode(value);
        if (spec.getVersion() < 0) {
            throw new BrokenRuleException(
                    IngestRule.INCONSISTENT,
                    "version must not be negative, got " + spec.getVersion());
        }
        return control(spec.getLoop(), spec.getTime(), specId(spec.getVersion()), raw);
    }

    private LoopEvent command(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        RolloutCommandRecord command = commands.decode(value);
        rules().checkName("commandId", command.getCommandId());
        checkText("requestedBy", command.getRequestedBy());
        checkText("reason", command.getReason());
        return control(command.getLoop(), command.getTime(), command.getCommandId(), raw);
    }

    private LoopEvent example(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException {
        LoggedExampleRecord example = examples.decode(value);
        ImpressionRecord impression = example.getImpression();
        rules().checkName("eventId", impression.getEventId());
        rules().checkReward("reward", example.getReward());
        impressionRules.check(impression);
        rules().checkLoop(impression.getLoop());
        // Its impression was not ahead of Kafka's clock. The example may be: the last windows of a
        // job that is drained end in the future, and what was learned then is learned again.
        rules().checkPlausible(example.getAvailableAt());
        return new LoopEvent(
                topic.kind(),
                impression.getLoop(),
                micros(example.getAvailableAt()),
                impression.getEventId(),
                raw);
    }

    private LoopEvent control(String loop, Instant time, String id, RawRecord raw)
            throws BrokenRuleException {
        rules().checkLoop(loop);
        rules().checkTime(time, raw.timestampMs());
        return new LoopEvent(topic.kind(), loop, micros(time), id, raw);
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
