package io.counterflow.benchmarks.streaming;

import java.nio.file.Files;
import java.util.Optional;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.tasks.mailbox.Mail;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
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

    private static final int MAX_PARALLELISM = 128;

    private final KeyedOneInputStreamOperatorTestHarness<?, I, O> harness;
    private long checkpoint;

    public RocksDbHarness(
            OneInputStreamOperator<I, O> operator, KeySelector<I, String> key, Class<O> emitted)
            throws Exception {
        this(operator, key, Types.STRING, emitted);
    }

    public <K> RocksDbHarness(
            OneInputStreamOperator<I, O> operator,
            KeySelector<I, K> key,
            TypeInformation<K> keyType,
            Class<O> emitted)
            throws Exception {
        harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        operator, key, keyType, MAX_PARALLELISM, 1, 0);
        EmbeddedRocksDBStateBackend rocksDb = new EmbeddedRocksDBStateBackend(true); // incremental
        // The default of the harness is so small that RocksDB compacts all the time.
        rocksDb.getMemoryConfiguration().setFixedMemoryPerSlot(ROCKS_DB_MEMORY);
        harness.setStateBackend(rocksDb);
        harness.setCheckpointStorage(
                new FileSystemCheckpointStorage(
                        Files.createTempDirectory("counterflow-checkpoints").toUri()));
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
        for (Optional<Mail> mail = next(); mail.isPresent(); mail = next()) {
            mail.get().run();
        }
        harness.getOutput().clear();
    }

    private Optional<Mail> next() {
        return harness.getTaskMailbox().tryTake(TaskMailbox.MIN_PRIORITY);
    }

    /** Takes a checkpoint. */
    public void checkpoint() throws Exception {
        checkpoint++;
        harness.snapshot(checkpoint, checkpoint);
        harness.notifyOfCompletedCheckpoint(checkpoint);
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
