package io.counterflow.flink.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.flink.Feedback;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.event.Outcome;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.job.KafkaStreams;
import io.counterflow.flink.join.Reached;
import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RewardOriginRecord;
import io.counterflow.schemas.record.RewardRecord;
import java.io.IOException;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshotSerializationUtil;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.types.PojoTestUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TypesWithoutKryoTest {

    private final WireSerializer<ImpressionRecord> serializer =
            new WireSerializer<>(ImpressionRecord.class);

    @ParameterizedTest
    @ValueSource(classes = {Reached.class, OutgoingRecord.class})
    void whatFlowsAndWhatIsKeptNeedsNoKryo(Class<?> type) {
        PojoTestUtils.assertSerializedAsPojoWithoutKryo(type);
    }

    @Test
    void eventsComeBackAsTheyWereAndNothingIsLeftOver() throws IOException {
        FeedbackEvent feedback = Feedback.event(Feedback.impression("e", 3));
        assertRoundTrip(FeedbackEvent.class, feedback);
        assertRoundTrip(FeedbackEvent.class, Feedback.event(Feedback.reward("r", "é", 3, 0.5)));
        assertRoundTrip(LoopEvent.class, LoopEvent.time("home", 7));
        for (Double guardrail : new Double[] {null, 0.25}) {
            assertRoundTrip(
                    LoopEvent.class,
                    new LoopEvent(
                            LoopEventKind.EXAMPLE,
                            "home",
                            5,
                            "e",
                            9,
                            new Outcome(0.5, guardrail, RewardOriginRecord.OBSERVED, 2),
                            feedback.raw()));
        }
    }

    private static <T> void assertRoundTrip(Class<T> type, T value) throws IOException {
        TypeSerializer<T> events =
                TypeInformation.of(type).createSerializer(new SerializerConfigImpl());
        assertThat(events).isInstanceOf(ValueSerializer.class);
        DataOutputSerializer out = new DataOutputSerializer(16);
        events.serialize(value, out);
        events.serialize(value, out);
        DataOutputSerializer copied = new DataOutputSerializer(16);
        DataInputDeserializer in = new DataInputDeserializer(out.getCopyOfBuffer());
        events.copy(in, copied);
        assertThat(events.deserialize(in)).usingRecursiveComparison().isEqualTo(value);
        assertThat(in.available()).isZero();
        assertThat(copied.getCopyOfBuffer()).hasSize(out.length() / 2);

        DataOutputSerializer snapshot = new DataOutputSerializer(16);
        TypeSerializerSnapshotSerializationUtil.writeSerializerSnapshot(
                snapshot, events.snapshotConfiguration());
        TypeSerializerSnapshot<T> read =
                TypeSerializerSnapshotSerializationUtil.readSerializerSnapshot(
                        new DataInputDeserializer(snapshot.getCopyOfBuffer()),
                        TypesWithoutKryoTest.class.getClassLoader());
        assertThat(
                        events.snapshotConfiguration()
                                .resolveSchemaCompatibility(read)
                                .isCompatibleAsIs())
                .isTrue();
    }

    @Test
    void anEventOfALaterFormatIsAnError() throws IOException {
        TypeSerializer<LoopEvent> events =
                TypeInformation.of(LoopEvent.class).createSerializer(new SerializerConfigImpl());
        assertThatThrownBy(() -> events.deserialize(new DataInputDeserializer(new byte[] {2, 0})))
                .isInstanceOf(IOException.class)
                .hasMessage("LoopEventSerializer must have version 1, got 2");
    }

    @Test
    void whatSourcesGiveNeedsNoKryo() {
        SerializerConfigImpl withoutKryo = new SerializerConfigImpl();
        withoutKryo.setGenericTypes(false);
        for (var type : List.of(KafkaStreams.FEEDBACK_TYPE, KafkaStreams.LOOP_EVENT_TYPE)) {
            assertThat(type).isInstanceOf(PojoTypeInfo.class);
            assertThatCode(() -> type.createSerializer(withoutKryo)).doesNotThrowAnyException();
        }
    }

    @Test
    void aRecordComesBackAsItWasAndNothingIsLeftOver() throws IOException {
        ImpressionRecord record = Feedback.impression("e", 3);
        DataOutputSerializer out = new DataOutputSerializer(16);
        serializer.serialize(record, out);
        serializer.serialize(record, out);
        DataOutputSerializer copied = new DataOutputSerializer(16);
        DataInputDeserializer in = new DataInputDeserializer(out.getCopyOfBuffer());
        serializer.copy(in, copied);
        assertThat(serializer.deserialize(in)).isEqualTo(record);
        assertThat(in.available()).isZero();
        assertThat(serializer.deserialize(new DataInputDeserializer(copied.getCopyOfBuffer())))
                .isEqualTo(record);
    }

    @Test
    void aCopyIsEqualButNotTheSame() {
        ImpressionRecord record = Feedback.impression("e", 3);
        ImpressionRecord copy = serializer.copy(record);
        assertThat(copy).isEqualTo(record).isNotSameAs(record);
        assertThat(copy.getFeatures()).isNotSameAs(record.getFeatures());
    }

    @Test
    void bytesThatAreNoRecordAreAnError() {
        assertThatThrownBy(
                        () ->
                                serializer.deserialize(
                                        new DataInputDeserializer(new byte[] {0, 0, 0, 1, 9})))
                .isInstanceOf(IOException.class)
                .hasMessage("state or network holds no readable ImpressionRecord");
    }

    @Test
    void aSavepointFindsItsSerializerAgain() throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(16);
        TypeSerializerSnapshotSerializationUtil.writeSerializerSnapshot(
                out, serializer.snapshotConfiguration());
        TypeSerializerSnapshot<ImpressionRecord> read =
                TypeSerializerSnapshotSerializationUtil.readSerializerSnapshot(
                        new DataInputDeserializer(out.getCopyOfBuffer()),
                        getClass().getClassLoader());
        TypeSerializer<ImpressionRecord> restored = read.restoreSerializer();

        assertThat(restored).isEqualTo(serializer);
        assertThat(
                        serializer
                                .snapshotConfiguration()
                                .resolveSchemaCompatibility(read)
                                .isCompatibleAsIs())
                .isTrue();
    }

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"}) // a savepoint does not know types either
    void stateOfAnotherRecordIsRefused() {
        TypeSerializerSnapshot other =
                new WireSerializer<>(RewardRecord.class).snapshotConfiguration();
        assertThat(
                        serializer
                                .snapshotConfiguration()
                                .resolveSchemaCompatibility(other)
                                .isIncompatible())
                .isTrue();
    }
}
