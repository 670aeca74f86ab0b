package io.counterflow.benchmarks.streaming;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;

/**
 * A keyed operator in Flink's test harness, on RocksDB. Its output is dropped.
 *
 * @param <I> the type of input records
 * @param <O> the type of output records
 */
public final class RocksDbHarness<I, O> implements AutoCloseable {

    /** The memory of RocksDB in our deployment. */
    private static final MemorySize ROCKS_DB_MEMORY = MemorySize.ofMebiBytes(256);

    private final KeyedOneInputStreamOperatorTestHarness<String, I, O> harness;

    public RocksDbHarness(
            OneInputStreamOperator<I, O> operator, KeySelector<I, String> key, Class<O> emitted)
            throws Exception {
        harness = new KeyedOneInputStreamOperatorTestHarness<>(operator, key, Types.STRING);
        EmbeddedRocksDBStateBackend rocksDb = new EmbeddedRocksDBStateBackend();
        // The default of the harness is so small that RocksDB compacts all the time.
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

    /** Advances event time and drops the output. */
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
