package io.counterflow.flink.loop;

import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.util.OutputTag;

/** An operator of loops in Flink's harness, on RocksDB. What it emits is thrown away. */
final class RocksDbHarness implements AutoCloseable {

    /** How many events make a watermark, and output to throw away. */
    private static final int EVENTS_PER_WATERMARK = 500;

    /** What a cluster of our own has. */
    private static final MemorySize ROCKS_DB_MEMORY = MemorySize.ofMebiBytes(256);

    private final KeyedOneInputStreamOperatorTestHarness<String, LoopEvent, JudgedExample> harness;
    private int events;

    RocksDbHarness(OneInputStreamOperator<LoopEvent, JudgedExample> operator) throws Exception {
        harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        operator, LoopEvent::loop, Types.STRING);
        EmbeddedRocksDBStateBackend rocksDb = new EmbeddedRocksDBStateBackend();
        // The harness itself would give it so little that it does nothing but compact.
        rocksDb.getMemoryConfiguration().setFixedMemoryPerSlot(ROCKS_DB_MEMORY);
        harness.setStateBackend(rocksDb);
        harness.setup(
                TypeInformation.of(JudgedExample.class)
                        .createSerializer(harness.getExecutionConfig().getSerializerConfig()));
        harness.open();
    }

    void take(LoopEvent event) throws Exception {
        harness.processElement(event, event.timeMs());
        events++;
        if (events % EVENTS_PER_WATERMARK == 0) {
            harness.processWatermark(event.timeMs());
            harness.getOutput().clear();
            for (OutputTag<?> tag : List.of(LoopOperator.SNAPSHOTS, LoopOperator.ROLLOUTS)) {
                var output = harness.getSideOutput(tag);
                if (output != null) {
                    output.clear();
                }
            }
        }
    }

    /** Makes a loop's key current, for those who use the operator's state themselves. */
    void setCurrentKey(String loop) {
        ((AbstractStreamOperator<JudgedExample>) harness.getOneInputOperator()).setCurrentKey(loop);
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
