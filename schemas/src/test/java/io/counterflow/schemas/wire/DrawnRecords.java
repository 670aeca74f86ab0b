package io.counterflow.schemas.wire;

import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.CheckpointMarkerRecord;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.record.LearnedStateRecord;
import io.counterflow.schemas.record.LoopCountsRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.LoopSpecsRecord;
import io.counterflow.schemas.record.LoopStateRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.QuarantineRecord;
import io.counterflow.schemas.record.RetractionRecord;
import io.counterflow.schemas.record.RewardModelStateRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.record.StoredExampleRecord;
import io.counterflow.schemas.record.VersionParametersRecord;
import io.counterflow.schemas.record.WindowPaneRecord;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecordBase;
import org.jspecify.annotations.Nullable;

/** Records of any generated class, drawn from a seed as their schema allows. */
final class DrawnRecords {

    /** Every record that is stored on a topic, in a file or in state. */
    static final List<Class<? extends SpecificRecordBase>> TYPES =
            List.of(
                    ImpressionRecord.class,
                    RewardRecord.class,
                    ActivationRecord.class,
                    RetractionRecord.class,
                    HeartbeatRecord.class,
                    JournalRecord.class,
                    CheckpointMarkerRecord.class,
                    LoopSpecRecord.class,
                    PolicySnapshotRecord.class,
                    IpsWindowRecord.class,
                    LoopCountsRecord.class,
                    RolloutCommandRecord.class,
                    RolloutRecord.class,
                    DeadLetterRecord.class,
                    LoopStateRecord.class,
                    LoopSpecsRecord.class,
                    LearnedStateRecord.class,
                    RewardModelStateRecord.class,
                    QuarantineRecord.class,
                    StoredExampleRecord.class,
                    VersionParametersRecord.class,
                    WindowPaneRecord.class);

    private final SplittableRandom random;

    DrawnRecords(long seed) {
        this.random = new SplittableRandom(seed);
    }

    <T extends SpecificRecordBase> T draw(Class<T> type) {
        return type.cast(record(SchemaHistory.of(type).current()));
    }

    private @Nullable Object draw(Schema schema) {
        return switch (schema.getType()) {
            case RECORD -> record(schema);
            case ENUM -> constant(schema);
            case UNION -> draw(schema.getTypes().get(random.nextInt(schema.getTypes().size())));
            case ARRAY -> array(schema);
            case STRING -> "s" + random.nextInt() + "é𝄞";
            case BYTES -> bytes();
            case INT -> random.nextInt();
            case LONG ->
                    schema.getLogicalType() == null
                            ? (Object) random.nextLong()
                            : Instant.EPOCH.plus(random.nextLong(), ChronoUnit.MICROS);
            case DOUBLE -> random.nextDouble();
            case BOOLEAN -> random.nextBoolean();
            case NULL -> null;
            default -> throw new IllegalStateException("no draw for " + schema.getType());
        };
    }

    private SpecificRecordBase record(Schema schema) {
        try {
            SpecificRecordBase record =
                    Class.forName(schema.getFullName())
                            .asSubclass(SpecificRecordBase.class)
                            .getConstructor()
                            .newInstance();
            for (Schema.Field field : schema.getFields()) {
                record.put(field.pos(), draw(field.schema()));
            }
            return record;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private Object constant(Schema schema) {
        try {
            Object[] constants = Class.forName(schema.getFullName()).getEnumConstants();
            return constants[random.nextInt(constants.length)];
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<@Nullable Object> array(Schema schema) {
        List<@Nullable Object> elements = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            elements.add(draw(schema.getElementType()));
        }
        return elements;
    }

    private ByteBuffer bytes() {
        byte[] bytes = new byte[random.nextInt(40)];
        random.nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }
}
