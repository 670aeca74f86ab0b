package io.counterflow.schemas.wire;

import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.CheckpointMarkerRecord;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.record.LoopCountsRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RetractionRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.topics.Topic;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecordBase;

/** The schemas of the records on each topic. */
public final class TopicSchemas {

    private static final Map<String, Published> BY_FINGERPRINT = new LinkedHashMap<>();

    static {
        for (Topic topic : Topic.values()) {
            of(topic).forEach(it -> BY_FINGERPRINT.put(it.fingerprint(), it));
        }
    }

    /**
     * A version of the schema of a record.
     *
     * @param version number of the version, from 1
     * @param fingerprint the 8 bytes that follow the marker of a record with this schema, as 16
     *     hexadecimal digits
     */
    public record Published(Schema schema, int version, String fingerprint) {

        /** The name of the record, without its namespace. */
        public String name() {
            return schema.getName();
        }

        /** The file of the schema among the sources. */
        public String file() {
            return "%s.v%d.avsc".formatted(name(), version);
        }
    }

    private TopicSchemas() {}

    /** The records on a topic. The first one is what the topic is for. */
    static List<Class<? extends SpecificRecordBase>> records(Topic topic) {
        return switch (topic) {
            case IMPRESSIONS ->
                    List.of(ImpressionRecord.class, RetractionRecord.class, HeartbeatRecord.class);
            case REWARDS ->
                    List.of(RewardRecord.class, ActivationRecord.class, HeartbeatRecord.class);
            case JOURNAL -> List.of(JournalRecord.class);
            case LOOPS -> List.of(LoopSpecRecord.class);
            case POLICY_SNAPSHOTS -> List.of(PolicySnapshotRecord.class);
            case ROLLOUTS -> List.of(RolloutRecord.class, LoopSpecRecord.class);
            case ROLLOUT_COMMANDS -> List.of(RolloutCommandRecord.class);
            case IPS_STATS -> List.of(IpsWindowRecord.class);
            case LOOP_COUNTS -> List.of(LoopCountsRecord.class);
            case CHECKPOINTS -> List.of(CheckpointMarkerRecord.class);
            case LATE, DEAD_LETTERS -> List.of(DeadLetterRecord.class);
        };
    }

    /** All versions of the schemas of the records on a topic, by record, newest first. */
    public static List<Published> of(Topic topic) {
        List<Published> schemas = new ArrayList<>();
        for (Class<? extends SpecificRecordBase> type : records(topic)) {
            List<Schema> versions = SchemaHistory.of(type).versions();
            for (int version = versions.size(); version > 0; version--) {
                Schema schema = versions.get(version - 1);
                schemas.add(
                        new Published(
                                schema,
                                version,
                                SchemaHistory.hex(SchemaHistory.fingerprint(schema))));
            }
        }
        return schemas;
    }

    /** The schema with a fingerprint of 16 hexadecimal digits in lower case. */
    public static Optional<Published> find(String fingerprint) {
        return Optional.ofNullable(BY_FINGERPRINT.get(fingerprint));
    }
}
