package io.counterflow.flink.ingest;

import io.counterflow.flink.types.ValueSerializer;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** How events that cross the network or wait in state write the record that they came from. */
public final class RawRecordFormat {

    private RawRecordFormat() {}

    public static void write(RawRecord raw, DataOutputView out) throws IOException {
        out.writeUTF(raw.topic());
        out.writeInt(raw.partition());
        out.writeLong(raw.offset());
        out.writeLong(raw.timestampMs());
        ValueSerializer.writeBytes(raw.key(), out);
        ValueSerializer.writeBytes(raw.value(), out);
    }

    public static RawRecord read(DataInputView in) throws IOException {
        return new RawRecord(
                in.readUTF(),
                in.readInt(),
                in.readLong(),
                in.readLong(),
                ValueSerializer.readBytes(in),
                ValueSerializer.readBytes(in));
    }
}
