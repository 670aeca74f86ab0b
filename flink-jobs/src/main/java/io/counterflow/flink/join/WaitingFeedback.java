package io.counterflow.flink.join;

import io.counterflow.flink.ingest.FeedbackEvent;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.jspecify.annotations.Nullable;

/**
 * The feedback of the current key, without duplicates, and its number. Most decisions have none.
 * Reading the count is one lookup, while reading an empty map costs RocksDB an iterator.
 */
final class WaitingFeedback {

    private static final String FEEDBACK_STATE = "feedback";
    private static final String COUNT_STATE = "feedback-count";

    private final MapState<String, FeedbackEvent> events;
    private final ValueState<Integer> count; // a map in RocksDB does not know its size

    WaitingFeedback(RuntimeContext context) {
        events =
                context.getMapState(
                        new MapStateDescriptor<>(
                                FEEDBACK_STATE,
                                Types.STRING,
                                TypeInformation.of(FeedbackEvent.class)));
        count = context.getState(new ValueStateDescriptor<>(COUNT_STATE, Types.INT));
    }

    @Nullable FeedbackEvent get(String identity) throws Exception {
        return events.get(identity);
    }

    int count() throws Exception {
        Integer stored = count.value(); // null while there is none
        return stored == null ? 0 : stored;
    }

    void add(String identity, FeedbackEvent event) throws Exception {
        events.put(identity, event);
        count.update(count() + 1);
    }

    void replace(String identity, FeedbackEvent event) throws Exception {
        events.put(identity, event);
    }

    Iterable<FeedbackEvent> values() throws Exception {
        return count() == 0 ? List.of() : events.values();
    }

    /** Whether to remove an event. */
    interface Leaves {
        boolean test(FeedbackEvent event) throws Exception;
    }

    /** Removes the events that match, and returns them. */
    void removeIf(Leaves leaves) throws Exception {
        if (count() == 0) {
            return;
        }
        int left = 0;
        Iterator<Map.Entry<String, FeedbackEvent>> waiting = events.iterator();
        while (waiting.hasNext()) {
            if (leaves.test(waiting.next().getValue())) {
                waiting.remove();
            } else {
                left++;
            }
        }
        if (left == 0) {
            clear(); // on the heap an emptied map is still an entry
        } else {
            count.update(left);
        }
    }

    void clear() throws Exception {
        if (count() > 0) {
            events.clear();
            count.clear();
        }
    }
}
