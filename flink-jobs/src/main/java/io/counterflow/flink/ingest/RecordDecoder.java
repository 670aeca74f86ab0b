package io.counterflow.flink.ingest;

import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.io.Serializable;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Decodes the records of one topic. The result for any bytes is an event, a heartbeat or a refusal,
 * never an exception. Not thread-safe.
 */
public final class RecordDecoder<E extends IngestedEvent> {

    /** Creates a decoder where it runs. */
    @FunctionalInterface
    public interface Factory<E extends IngestedEvent> extends Serializable {
        RecordDecoder<E> create(IngestLimits limits);
    }

    /** Decodes and validates a record that is not a heartbeat. */
    @FunctionalInterface
    public interface EventReader<E extends IngestedEvent> {
        E read(RawRecord raw, byte[] value) throws BrokenRuleException, UndecodableRecordException;
    }

    /** Decodes a record without a value. */
    @FunctionalInterface
    public interface TombstoneReader<E extends IngestedEvent> {
        E read(RawRecord raw) throws BrokenRuleException;
    }

    private final RecordRules rules;
    private final EventReader<E> events;
    private final TombstoneReader<E> tombstones;
    private final WireCodec<HeartbeatRecord> heartbeats = WireCodec.of(HeartbeatRecord.class);

    /** A decoder for a topic without tombstones. */
    public RecordDecoder(IngestLimits limits, EventReader<E> events) {
        this(
                limits,
                events,
                raw -> {
                    throw new BrokenRuleException(IngestRule.EMPTY, "value must not be null");
                });
    }

    public RecordDecoder(
            IngestLimits limits, EventReader<E> events, TombstoneReader<E> tombstones) {
        this.rules = new RecordRules(limits);
        this.events = events;
        this.tombstones = tombstones;
    }

    public Ingested<E> decode(RawRecord raw) {
        try {
            byte[] value = raw.value();
            if (value == null) {
                return Ingested.event(tombstones.read(raw));
            }
            rules.checkSize(value);
            if (heartbeats.accepts(value)) {
                Instant time = heartbeats.decode(value).getTime();
                rules.checkTime(time, raw.timestampMs());
                return Ingested.heartbeat(micros(time), raw);
            }
            return Ingested.event(events.read(raw, value));
        } catch (BrokenRuleException e) {
            return Ingested.refusal(new Refusal(raw, e.rule(), String.valueOf(e.getMessage())));
        } catch (UndecodableRecordException e) {
            return Ingested.refusal(
                    new Refusal(raw, IngestRule.of(e.reason()), String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            // A case that the rules miss must not stop the job. The message may quote user data.
            return Ingested.refusal(
                    new Refusal(raw, IngestRule.INCONSISTENT, e.getClass().getSimpleName()));
        }
    }

    /** A time in microseconds since 1970. */
    public static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }
}
