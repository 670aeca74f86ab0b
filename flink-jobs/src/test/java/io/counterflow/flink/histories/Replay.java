package io.counterflow.flink.histories;

import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.loop.LoopOperator;
import io.counterflow.flink.sinks.CheckpointGuard;
import io.counterflow.flink.sinks.OutgoingRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.jspecify.annotations.Nullable;

/** A replay of a journal, with other caches than the live job and sometimes a restart. */
final class Replay {

    private Replay() {}

    static List<OutgoingRecord> of(List<LoopEvent> journal, History history) throws Exception {
        List<OutgoingRecord> results = new ArrayList<>();
        boolean restarts = history.schedule() % 4 == 0;
        int middle = restarts ? journal.size() / 2 : journal.size();
        boolean small = !history.settings().smallCaches();
        Subtask.Stored state = run(journal.subList(0, middle), small, null, results);
        if (restarts) {
            run(journal.subList(middle, journal.size()), !small, state, results);
        }
        return results;
    }

    private static Subtask.Stored run(
            List<LoopEvent> entries,
            boolean small,
            Subtask.@Nullable Stored from,
            List<OutgoingRecord> results)
            throws Exception {
        Loops loops = new Loops(small, results);
        try {
            loops.start(new HashMapStateBackend(), OutgoingRecord.class, 0, 1, from);
            for (LoopEvent entry : entries) {
                loops.process(entry, entry.timeMs());
            }
            return Subtask.Stored.of(new OperatorSubtaskState[] {loops.snapshot(1)});
        } finally {
            loops.close();
        }
    }

    private static final class Loops
            extends Subtask<String, LoopEvent, OutgoingRecord, LoopOperator> {
        private final List<OutgoingRecord> results;

        Loops(boolean small, List<OutgoingRecord> results) throws Exception {
            super(
                    0,
                    1,
                    1,
                    Job.loopOperator(
                            Job.loopConfig(small), new NoGuard(), LoopOperator.Source.JOURNAL),
                    LoopEvent::loop,
                    Types.STRING);
            this.results = results;
        }

        @Override
        void emitted(OutgoingRecord record, long timestampMs) {
            results.add(record);
        }

        @Override
        void emittedAside(Object value) {
            throw new IllegalStateException("there is no side output");
        }

        @Override
        void emittedWatermark(long ms) {
            // Nobody needs it.
        }

        @Override
        public void take(Inbox.Item item) {
            throw new IllegalStateException("entries are processed directly");
        }

        @Override
        public void barrier(long checkpoint) {
            throw new IllegalStateException("there are no barriers");
        }

        @Override
        public void end(boolean drain) {
            throw new IllegalStateException("there is no end");
        }
    }

    /** Lets every start through. */
    private static final class NoGuard implements CheckpointGuard {
        private static final long serialVersionUID = 1L;

        @Override
        public void requireCommitted(Map<Integer, Long> restored) {
            // A replay may repeat.
        }

        @Override
        public void requireNothingCommitted() {
            // A replay may repeat.
        }
    }
}
