package io.counterflow.flink.ingest;

import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Understands the records of one topic, whatever their bytes: the answer is an event, a heartbeat
 * or a refusal, never an exception. Belongs to one thread at a time.
 *
 * @param <E> what valid records become
 */
public abstract class RecordDecoder<E extends IngestedEvent> {

    private final RecordRules rules;
    private final WireCodec<HeartbeatRecord> heartbeats = WireCodec.of(HeartbeatRecord.class);

    protected RecordDecoder(IngestLimits limits) {
        this.rules = new RecordRules(limits);
    }

    /** What the record says. */
    public final Ingested<E> decode(RawRecord raw) {
        try {
            byte[] value = raw.value();
            if (value == null) {
                throw new BrokenRuleException(IngestRule.EMPTY, "value must be there, got none");
            }
            rules.checkSize(value);
            if (heartbeats.accepts(value)) {
                Instant time = heartbeats.decode(value).getTime();
                rules.checkTime(time, raw.timestampMs());
                return Ingested.heartbeat(micros(time), raw);
            }
            return Ingested.event(event(raw, value));
        } catch (BrokenRuleException e) {
            return Ingested.refusal(new Refusal(raw, e.rule(), String.valueOf(e.getMessage())));
        } catch (UndecodableRecordException e) {
            return Ingested.refusal(
                    new Refusal(raw, IngestRule.of(e.reason()), String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            // A hole in our own rules: still one record, not the job. Its message may quote values.
            return Ingested.refusal(
                    new Refusal(raw, IngestRule.INCONSISTENT, e.getClass().getSimpleName()));
        }
    }

    /** The event of a record that is no heartbeat and not too large. */
    protected abstract E event(RawRecord raw, byte[] value)
            throws BrokenRuleException, UndecodableRecordException;

    /** The rules of every record. */
    protected final RecordRules rules() {
        return rules;
    }

    /** A time that was checked, in microseconds since 1970. */
    protected static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }
}
