package io.counterflow.flink.event;

import io.counterflow.flink.ingest.RawRecordFormat;
import io.counterflow.flink.types.ValueSerializer;
import io.counterflow.flink.types.ValueTypeInfo;
import io.counterflow.schemas.record.RewardOriginRecord;
import java.io.IOException;
import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/** Writes events of loops. */
public final class LoopEventSerializer extends ValueSerializer<LoopEvent> {

    public static final LoopEventSerializer INSTANCE = new LoopEventSerializer();

    private static final long serialVersionUID = 1L;
    private static final int VERSION = 1;

    private LoopEventSerializer() {
        super(VERSION);
    }

    @Override
    protected void write(LoopEvent event, DataOutputView out) throws IOException {
        out.writeUTF(event.kind().name());
        out.writeUTF(event.loop());
        out.writeLong(event.timeMicros());
        out.writeUTF(event.id());
        out.writeLong(event.sequence());
        write(event.outcome(), out);
        RawRecordFormat.write(event.raw(), out);
    }

    private static void write(@Nullable Outcome outcome, DataOutputView out) throws IOException {
        out.writeBoolean(outcome != null);
        if (outcome != null) {
            out.writeDouble(outcome.reward());
            writeOptional(outcome.guardrailReward(), out);
            out.writeUTF(outcome.origin().name());
            out.writeInt(outcome.rewards());
        }
    }

    @Override
    protected LoopEvent read(DataInputView in) throws IOException {
        return new LoopEvent(
                LoopEventKind.valueOf(in.readUTF()),
                in.readUTF(),
                in.readLong(),
                in.readUTF(),
                in.readLong(),
                outcome(in),
                RawRecordFormat.read(in));
    }

    private static @Nullable Outcome outcome(DataInputView in) throws IOException {
        return in.readBoolean()
                ? new Outcome(
                        in.readDouble(),
                        readOptional(in),
                        RewardOriginRecord.valueOf(in.readUTF()),
                        in.readInt())
                : null;
    }

    @Override
    public TypeSerializerSnapshot<LoopEvent> snapshotConfiguration() {
        return new Snapshot();
    }

    /** The snapshot in savepoints. The values contain the version of their format. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<LoopEvent> {
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }

    /** Makes Flink use this serializer wherever the type occurs. */
    public static final class TypeFactory extends TypeInfoFactory<LoopEvent> {
        @Override
        public TypeInformation<LoopEvent> createTypeInfo(
                Type type, Map<String, TypeInformation<?>> parameters) {
            return new ValueTypeInfo<>(LoopEvent.class, INSTANCE);
        }
    }
}
