package io.counterflow.flink.state;

import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.loop.LearnerProgress;
import io.counterflow.core.loop.LoopLearner;
import io.counterflow.schemas.record.StoredExampleRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.flink.api.common.state.MapState;

/**
 * The example buffer of a loop in keyed state, by the number of the example. An example is written
 * when it is learned and removed when the learner drops it, so a checkpoint does not write the
 * buffer. The key of the loop must be current.
 */
public final class StoredBuffer {

    private final MapState<Long, StoredExampleRecord> stored;
    private long first; // number of the oldest stored example

    public StoredBuffer(MapState<Long, StoredExampleRecord> stored, long first) {
        this.stored = stored;
        this.first = first;
    }

    /** Reads the buffer of a learner with this progress, oldest example first. */
    public static List<LoggedExample> read(
            MapState<Long, StoredExampleRecord> stored, LearnerProgress progress, int buffered)
            throws Exception {
        List<LoggedExample> examples = new ArrayList<>(buffered);
        for (long i = progress.received() - buffered; i < progress.received(); i++) {
            examples.add(StoredExamples.fromRecord(Objects.requireNonNull(stored.get(i))));
        }
        return examples;
    }

    /** Stores the example that the learner has just added. */
    public void add(LoggedExample example, LoopLearner learner) throws Exception {
        stored.put(learner.received() - 1, StoredExamples.toRecord(example));
        follow(learner);
    }

    /** Removes the examples that the learner has dropped. */
    public void follow(LoopLearner learner) throws Exception {
        for (long kept = learner.received() - learner.buffered(); first < kept; first++) {
            stored.remove(first);
        }
    }
}
