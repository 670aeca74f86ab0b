package io.counterflow.flink.join;

import io.counterflow.flink.ingest.FeedbackEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * Feedback that waits for its impression. Most of it finds its impression before the next
 * checkpoint and is never written.
 */
final class EarlyFeedback {

    /** Name of the state in savepoints. */
    static final String STATE = "early-feedback";

    private final MapState<String, byte[]> stored;
    private final IntConsumer currentBucket;
    private final List<WaitingFeedback> unstored = new ArrayList<>();

    EarlyFeedback(KeyedStateStore store, IntConsumer currentBucket) {
        this.stored =
                store.getMapState(
                        new MapStateDescriptor<>(
                                STATE,
                                Types.STRING,
                                PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
        this.currentBucket = currentBucket;
    }

    void add(WaitingFeedback feedback, long orphanedAtMs) {
        feedback.waitUntil(orphanedAtMs);
        unstored.add(feedback);
    }

    void remove(WaitingFeedback feedback) throws Exception {
        feedback.stopWaiting();
        if (feedback.stored()) {
            currentBucket.accept(feedback.bucket());
            stored.remove(feedback.identity());
            feedback.stored(false);
        }
    }

    /** Writes everything that is not in the state yet. */
    void store() throws Exception {
        for (WaitingFeedback feedback : unstored) {
            if (feedback.early()) {
                currentBucket.accept(feedback.bucket());
                stored.put(feedback.identity(), WaitingRecords.early(feedback.event()));
                feedback.stored(true);
            }
        }
        unstored.clear();
    }

    /** The events of a bucket, after a restart. */
    List<FeedbackEvent> restore(int bucket) throws Exception {
        currentBucket.accept(bucket);
        List<FeedbackEvent> events = new ArrayList<>();
        for (byte[] bytes : stored.values()) {
            events.add(WaitingRecords.readEarly(bytes));
        }
        return events;
    }
}
