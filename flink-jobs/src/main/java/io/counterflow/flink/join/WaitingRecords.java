package io.counterflow.flink.join;

import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.ingest.FeedbackEventSerializer;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** The format of records in the log of decisions that wait. */
final class WaitingRecords {

    private static final byte IMPRESSION = 1;
    private static final byte PREJOINED = 2;
    private static final byte FEEDBACK = 3;
    private static final byte RETRACTED = 4;
    private static final byte CONFLICTING = 5;
    private static final byte SETTLED = 6;

    private static final FeedbackEventSerializer EVENTS = FeedbackEventSerializer.INSTANCE;

    private WaitingRecords() {}

    static WaitingLog.Writer impression(FeedbackEvent event) {
        return out -> {
            out.writeByte(IMPRESSION);
            EVENTS.serialize(event, out);
        };
    }

    /** An impression that has been emitted. It waits to be compared with copies. */
    static WaitingLog.Writer prejoined(String key, AttributionWindow window, long checksum) {
        return out -> {
            out.writeByte(PREJOINED);
            out.writeUTF(key);
            out.writeLong(window.startMicros());
            out.writeLong(checksum);
        };
    }

    /**
     * @param closesAtMs when the decision closes: its key alone may have another meaning later
     */
    static WaitingLog.Writer feedback(FeedbackEvent event, long closesAtMs) {
        return out -> {
            out.writeByte(FEEDBACK);
            out.writeLong(closesAtMs);
            EVENTS.serialize(event, out);
        };
    }

    /** An impression that does not count. */
    static WaitingLog.Writer retracted(WaitingDecision decision) {
        return out -> {
            out.writeByte(RETRACTED);
            writeIdentity(decision, out);
        };
    }

    /** An impression that differs from another one of its event. */
    static WaitingLog.Writer conflicting(WaitingDecision decision) {
        return out -> {
            out.writeByte(CONFLICTING);
            writeIdentity(decision, out);
        };
    }

    /**
     * The feedback before this record has been used, although a decision of the event waits.
     *
     * @param closesAtMs as of the feedback
     */
    static WaitingLog.Writer settled(String key, long closesAtMs) {
        return out -> {
            out.writeByte(SETTLED);
            out.writeUTF(key);
            out.writeLong(closesAtMs);
        };
    }

    private static void writeIdentity(WaitingDecision decision, DataOutputSerializer out)
            throws IOException {
        out.writeUTF(decision.key());
        out.writeLong(decision.checksum());
    }

    /** What the records of a log say. */
    interface Visitor {
        void decision(String key, AttributionWindow window, long checksum, WaitingLog.Place place);

        void feedback(FeedbackEvent event, long closesAtMs, WaitingLog.Place place);

        void settled(String key, long closesAtMs, WaitingLog.Place place);

        void retracted(String key, long checksum);

        void conflicting(String key, long checksum);
    }

    static void read(WaitingLog.Place place, DataInputDeserializer in, Visitor visitor)
            throws IOException {
        byte kind = in.readByte();
        switch (kind) {
            case IMPRESSION -> {
                FeedbackEvent event = EVENTS.deserialize(in);
                visitor.decision(
                        event.key(),
                        AttributionWindow.of(event),
                        WaitingDecision.checksum(JoinRecords.bytes(event)),
                        place);
            }
            case PREJOINED -> {
                String key = in.readUTF();
                long micros = in.readLong();
                visitor.decision(
                        key, new AttributionWindow(micros, micros, true), in.readLong(), place);
            }
            case FEEDBACK -> {
                long closesAtMs = in.readLong();
                visitor.feedback(EVENTS.deserialize(in), closesAtMs, place);
            }
            case RETRACTED -> visitor.retracted(in.readUTF(), in.readLong());
            case CONFLICTING -> visitor.conflicting(in.readUTF(), in.readLong());
            case SETTLED -> visitor.settled(in.readUTF(), in.readLong(), place);
            default -> throw new IOException("no record of the join starts with " + kind);
        }
    }

    /** The impression at a position of the log. */
    static FeedbackEvent readImpression(DataInputDeserializer in) throws IOException {
        in.readByte();
        return EVENTS.deserialize(in);
    }

    static byte[] early(FeedbackEvent event) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(256);
        EVENTS.serialize(event, out);
        return out.getCopyOfBuffer();
    }

    static FeedbackEvent readEarly(byte[] bytes) throws IOException {
        return EVENTS.deserialize(new DataInputDeserializer(bytes));
    }
}
