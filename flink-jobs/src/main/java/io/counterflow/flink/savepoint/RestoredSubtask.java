package io.counterflow.flink.savepoint;

import io.counterflow.flink.loop.SavedLoops;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobInfoImpl;
import org.apache.flink.api.common.TaskInfoImpl;
import org.apache.flink.api.common.functions.SerializerFactory;
import org.apache.flink.api.common.functions.util.RuntimeUDFContext;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.PrioritizedOperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.state.CheckpointStorageLocation;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.DefaultKeyedStateStore;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SavepointKeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.api.runtime.NeverFireProcessingTimeService;
import org.apache.flink.state.api.runtime.SavepointEnvironment;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.operators.KeyContext;
import org.apache.flink.streaming.api.operators.StreamOperatorStateContext;
import org.apache.flink.streaming.api.operators.StreamOperatorStateHandler;
import org.apache.flink.streaming.api.operators.StreamTaskStateInitializerImpl;
import org.apache.flink.util.FileUtils;
import org.apache.flink.util.IOUtils;
import org.apache.flink.util.concurrent.FutureUtils;
import org.jspecify.annotations.Nullable;

/**
 * The keyed state of one subtask of an operator, restored into a state backend of this process.
 *
 * <p>The state backend restores all states that it finds and writes them again: also those that
 * this version of the tool does not know.
 */
final class RestoredSubtask implements AutoCloseable {

    private final Path directory; // of RocksDB
    private final CloseableRegistry registry = new CloseableRegistry();
    private final SavepointEnvironment environment;
    private final StreamOperatorStateContext context;
    private final CheckpointableKeyedStateBackend<String> backend;
    private final SavedLoops loops;

    private RestoredSubtask(
            OperatorState operator,
            OperatorSubtaskState state,
            Path directory,
            SavepointEnvironment environment)
            throws Exception {
        this.directory = directory;
        this.environment = environment;
        ExecutionConfig execution = environment.getExecutionConfig();
        context =
                new StreamTaskStateInitializerImpl(environment, backendOf(state))
                        .streamOperatorStateContext(
                                operator.getOperatorID(),
                                "savepoint",
                                new NeverFireProcessingTimeService(),
                                new NoTimers(),
                                StringSerializer.INSTANCE,
                                registry,
                                UnregisteredMetricsGroup.createOperatorMetricGroup(),
                                1.0, // of the managed memory
                                false,
                                false);
        backend = keyedBackend(context);
        loops =
                new SavedLoops(
                        backend,
                        new DefaultKeyedStateStore(
                                backend,
                                new SerializerFactory() {
                                    @Override
                                    public <T> TypeSerializer<T> createSerializer(
                                            TypeInformation<T> type) {
                                        return type.createSerializer(
                                                execution.getSerializerConfig());
                                    }
                                }));
    }

    /** Restores a subtask that has state. */
    static RestoredSubtask of(OperatorState operator, int subtask) throws Exception {
        OperatorSubtaskState state = Objects.requireNonNull(operator.getState(subtask));
        Path directory = Files.createTempDirectory("counterflow-savepoint-");
        SavepointEnvironment environment = environment(operator, subtask, directory, keyed(state));
        try {
            return new RestoredSubtask(operator, state, directory, environment);
        } catch (Throwable e) {
            close(environment, directory);
            throw e;
        }
    }

    private static SavepointEnvironment environment(
            OperatorState operator, int subtask, Path directory, OperatorSubtaskState state) {
        ExecutionConfig execution = new ExecutionConfig();
        RuntimeUDFContext task =
                new RuntimeUDFContext(
                        new JobInfoImpl(new JobID(), "savepoint"),
                        new TaskInfoImpl(
                                "savepoint",
                                operator.getMaxParallelism(),
                                subtask,
                                operator.getParallelism(),
                                0),
                        RestoredSubtask.class.getClassLoader(),
                        execution,
                        Map.of(),
                        new HashMap<>(),
                        UnregisteredMetricsGroup.createOperatorMetricGroup());
        Configuration settings = new Configuration();
        settings.set(CoreOptions.TMP_DIRS, directory.toString());
        return new SavepointEnvironment.Builder(task, execution, operator.getMaxParallelism())
                .setConfiguration(settings)
                .setSubtaskIndex(subtask)
                .setPrioritizedOperatorSubtaskState(
                        new PrioritizedOperatorSubtaskState.Builder(state, List.of()).build())
                .build();
    }

    /** Operator state is not restored: it is copied as it is. */
    private static OperatorSubtaskState keyed(OperatorSubtaskState state) {
        return OperatorSubtaskState.builder()
                .setManagedKeyedState(state.getManagedKeyedState())
                .setRawKeyedState(state.getRawKeyedState())
                .build();
    }

    /** RocksDB reads what it has written and canonical savepoints; the rest is of the heap. */
    private static StateBackend backendOf(OperatorSubtaskState state) {
        boolean onHeap =
                state.getManagedKeyedState().stream()
                        .anyMatch(
                                it ->
                                        it instanceof KeyGroupsStateHandle
                                                && !(it instanceof SavepointKeyedStateHandle));
        return onHeap ? new HashMapStateBackend() : new EmbeddedRocksDBStateBackend();
    }

    @SuppressWarnings("unchecked") // the serializer of the keys was passed in
    private static CheckpointableKeyedStateBackend<String> keyedBackend(
            StreamOperatorStateContext context) {
        return (CheckpointableKeyedStateBackend<String>) context.keyedStateBackend();
    }

    SavedLoops loops() {
        return loops;
    }

    /**
     * Writes the keyed state in Flink's canonical format.
     *
     * @return null if no state is left
     */
    @Nullable KeyedStateHandle write(CheckpointStorageLocation target, long checkpointId)
            throws Exception {
        CheckpointOptions options =
                CheckpointOptions.forConfig(
                        SavepointType.savepoint(SavepointFormatType.CANONICAL),
                        target.getLocationReference(),
                        true,
                        false,
                        CheckpointOptions.NO_ALIGNED_CHECKPOINT_TIME_OUT);
        RunnableFuture<SnapshotResult<KeyedStateHandle>> written =
                StreamOperatorStateHandler.prepareCanonicalSavepoint(backend, registry)
                        .snapshot(checkpointId, 0L, target, options);
        return FutureUtils.runIfNotDoneAndGet(written).getJobManagerOwnedSnapshot();
    }

    @Override
    public void close() throws IOException {
        try {
            registry.close();
            backend.dispose();
            context.operatorStateBackend().dispose();
        } finally {
            close(environment, directory);
        }
    }

    private static void close(SavepointEnvironment environment, Path directory) throws IOException {
        IOUtils.closeQuietly(environment.getIOManager());
        environment.getMemoryManager().shutdown();
        FileUtils.deleteDirectory(directory.toFile());
    }

    /** The operator has no timers, and timers alone set keys. */
    private static final class NoTimers implements KeyContext {

        @Override
        public void setCurrentKey(Object key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Object getCurrentKey() {
            throw new UnsupportedOperationException();
        }
    }
}
