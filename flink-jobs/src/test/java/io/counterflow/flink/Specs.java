package io.counterflow.flink;

import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RolloutActionRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import java.time.Instant;

/** Specs and commands for tests. */
public final class Specs {

    private Specs() {}

    /** A loop of two actions and two features that is learned from but never rolled out. */
    public static LoopSpecRecord spec(String loop, long version, Instant time) {
        LoopSpecRecord record =
                LoopSpecConversion.toRecord(LoopSpec.builder("home").vectors(2, "a", "b").build());
        record.setLoop(loop); // also names and versions that no spec may have
        record.setVersion(version);
        record.setTime(time);
        return record;
    }

    public static RolloutCommandRecord command(String id, String loop, Instant time) {
        return new RolloutCommandRecord(
                id,
                loop,
                time,
                RolloutActionRecord.PAUSE,
                null,
                null,
                null,
                null,
                null,
                "tester",
                "because");
    }
}
