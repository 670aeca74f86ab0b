package io.counterflow.flink.ingest;

import io.counterflow.flink.types.ValueSerializer;
import io.counterflow.flink.types.ValueTypeInfo;
import java.io.IOException;
import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Writes feedback events. */
public final class FeedbackEventSerializer extends ValueSerializer<FeedbackEvent> {

    public static final FeedbackEventSerializer INSTANCE = new FeedbackEventSerializer();

    private static final long serialVersionUID = 1L;
    private static final int VERSION = 1;

    private FeedbackEventSerializer() {
        super(VERSION);
    }

    @Override
    protected void write(FeedbackEvent event, DataOutputView out) throws IOException {
        out.writeUTF(event.kind().name());
        out.writeUTF(event.loop());
        out.writeUTF(event.eventId());
        out.writeLong(event.timeMicros());
        out.writeLong(event.waitMs());
        out.writeBoolean(event.prejoined());
        RawRecordFormat.write(event.raw(), out);
    }

    @Override
    protected FeedbackEvent read(DataInputView in) throws IOException {
        return new FeedbackEvent(
                FeedbackKind.valueOf(in.readUTF()),
                in.readUTF(),
                in.readUTF(),
                in.readLong(),
                in.readLong(),
                in.readBoolean(),
                RawRecordFormat.read(in));
    }

    @Override
    public TypeSerializerSnapshot<FeedbackEvent> snapshotConfiguration() {
        return new Snapshot();
    }

    /** The snapshot in savepoints. The values contain the version of their format. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<FeedbackEvent> {
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }

    /** Makes Flink use this serializer wherever the type occurs. */
    public static final class TypeFactory extends TypeInfoFactory<FeedbackEvent> {
        @Override
        public TypeInformation<FeedbackEvent> createTypeInfo(
                Type type, Map<String, TypeInformation<?>> parameters) {
            return new ValueTypeInfo<>(FeedbackEvent.class, INSTANCE);
        }
    }
}
