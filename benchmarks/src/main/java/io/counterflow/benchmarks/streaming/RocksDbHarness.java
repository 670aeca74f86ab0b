package io.counterflow.benchmarks.streaming;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;

/**
 * A keyed operator in Flink's harness, on RocksDB. What it emits is thrown away.
 *
 * @param <I> what it takes
 * @param <O> what it emits
 */
public final class RocksDbHarness<I, O> implements AutoCloseable {

    /** What a cluster of our own has. */
    private static final MemorySize ROCKS_DB_MEMORY = MemorySize.ofMebiBytes(256);

    private final KeyedOneInputStreamOperatorTestHarness<String, I, O> harness;

    public RocksDbHarness(
            OneInputStreamOperator<I, O> operator, KeySelector<I, String> key, Class<O> emitted)
            throws Exception {
        harness = new KeyedOneInputStreamOperatorTestHarness<>(operator, key, Types.STRING);
        EmbeddedRocksDBStateBackend rocksDb = new EmbeddedRocksDBStateBackend();
        // The harness itself would give it so little that it does nothing but compact.
        rocksDb.getMemoryConfiguration().setFixedMemoryPerSlot(ROCKS_DB_MEMORY);
        harness.setStateBackend(rocksDb);
        harness.setup(
                TypeInformation.of(emitted)
                        .createSerializer(harness.getExecutionConfig().getSerializerConfig()));
        harness.open();
    }

    public void take(I event, long timeMs) throws Exception {
        harness.processElement(event, timeMs);
    }

    /** Moves event time, and throws away what was emitted. */
    public void watermark(long timeMs) throws Exception {
        harness.processWatermark(timeMs);
        harness.getOutput().clear();
    }

    @Override
    public void close() {
        try {
            harness.close();
        } catch (Exception e) {
            throw new IllegalStateException("the harness does not close", e);
        }
    }
}
