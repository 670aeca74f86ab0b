package io.counterflow.flink.join;

import io.counterflow.flink.ingest.FeedbackEvent;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.util.MathUtils;

/**
 * The keys of the join. Decisions are spread over as many buckets as Flink has key groups, one in
 * each, so that buckets are large and spread evenly at any parallelism. State depends on the bucket
 * of a decision, so the calculation must never change.
 */
public final class Buckets implements KeySelector<FeedbackEvent, Integer> {

    private static final long serialVersionUID = 1L;

    private final Integer[] keys; // by bucket: a key in the key group of that number

    /**
     * @param maxParallelism the maximum parallelism of the job, which is its number of key groups
     */
    public Buckets(int maxParallelism) {
        keys = new Integer[maxParallelism];
        int found = 0;
        for (int key = 0; found < maxParallelism; key++) {
            int group = KeyGroupRangeAssignment.assignToKeyGroup(key, maxParallelism);
            if (keys[group] == null) {
                keys[group] = key;
                found++;
            }
        }
    }

    @Override
    public Integer getKey(FeedbackEvent event) {
        return keys[of(event)];
    }

    int of(FeedbackEvent event) {
        int hash = 31 * event.loop().hashCode() + event.eventId().hashCode();
        return MathUtils.murmurHash(hash) % keys.length;
    }

    Integer key(int bucket) {
        return keys[bucket];
    }

    /** The buckets of a subtask. */
    KeyGroupRange of(int subtask, int parallelism) {
        return KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                keys.length, parallelism, subtask);
    }
}
