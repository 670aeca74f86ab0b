package io.counterflow.flink.histories;

import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.junit.jupiter.api.Test;

/**
 * Simulated histories of the job, each compared with a plain model. {@code
 * -Dcounterflow.histories=N} runs more of them, and {@code -Dcounterflow.history-seed=S} one.
 */
final class SimulatedHistoriesIT {

    private static final int HISTORIES = Integer.getInteger("counterflow.histories", 10_000);

    /** Starting RocksDB takes most of the time of a history. */
    private static final int ON_ROCKSDB = 8;

    @Test
    void everyHistoryGivesWhatTheModelsSay() {
        run(HISTORIES, HashMapStateBackend::new);
    }

    @Test
    void soDoesAHistoryOnRocksDb() {
        run(ON_ROCKSDB, EmbeddedRocksDBStateBackend::new);
    }

    private static void run(int histories, Supplier<StateBackend> backends) {
        Long only = Long.getLong("counterflow.history-seed"); // null for all
        LongStream seeds = only == null ? LongStream.range(0, histories) : LongStream.of(only);
        seeds.forEach(seed -> run(seed, backends.get()));
    }

    private static void run(long seed, StateBackend backend) {
        History history = DrawnHistory.of(seed);
        Shrinker shrinker = new Shrinker(backend);
        Optional<Throwable> failure = shrinker.failure(history);
        if (failure.isPresent()) {
            throw new AssertionError(shrinker.report(seed, history, failure.get()));
        }
    }
}
