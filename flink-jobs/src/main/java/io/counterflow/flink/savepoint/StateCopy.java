package io.counterflow.flink.savepoint;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsSavepointStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.StateObject;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.filesystem.RelativeFileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.util.IOUtils;

/**
 * Copies the state of operators into the directory of a new savepoint, file by file. The copy needs
 * no file of the original. Flink's own writer copies only canonical savepoints; the job takes
 * native ones, and checkpoints share files.
 */
final class StateCopy {

    private final Path target;
    private final Map<Path, StreamStateHandle> copied = new HashMap<>();
    private final Set<String> names = new HashSet<>();

    /**
     * @param target the directory of the new savepoint
     */
    StateCopy(Path target) {
        this.target = target;
    }

    /** Copies the state of all subtasks. */
    OperatorState of(OperatorState operator) throws IOException {
        if (operator.isFullyFinished()) {
            return operator; // has no state
        }
        OperatorState copy = withoutSubtasks(operator);
        for (Map.Entry<Integer, OperatorSubtaskState> subtask :
                operator.getSubtaskStates().entrySet()) {
            copy.putState(subtask.getKey(), of(subtask.getValue()));
        }
        return copy;
    }

    /** An operator with the identity, parallelism and coordinator of another one. */
    static OperatorState withoutSubtasks(OperatorState operator) {
        OperatorState empty =
                new OperatorState(
                        operator.getOperatorName().orElse(null),
                        operator.getOperatorUid().orElse(null),
                        operator.getOperatorID(),
                        operator.getParallelism(),
                        operator.getMaxParallelism());
        empty.setCoordinatorState(operator.getCoordinatorState());
        return empty;
    }

    OperatorSubtaskState of(OperatorSubtaskState subtask) throws IOException {
        if (subtask.isFinished()) {
            return subtask;
        }
        return withoutKeyedState(subtask)
                .setManagedKeyedState(keyed(subtask.getManagedKeyedState()))
                .setRawKeyedState(keyed(subtask.getRawKeyedState()))
                .build();
    }

    /** Copies the state of a subtask except for its keyed state. */
    OperatorSubtaskState.Builder withoutKeyedState(OperatorSubtaskState subtask)
            throws IOException {
        if (!subtask.getInputChannelState().isEmpty()
                || !subtask.getResultSubpartitionState().isEmpty()) {
            throw new UnusableSavepointException(
                    "an unaligned checkpoint cannot be copied, because it has records in flight; take a savepoint");
        }
        return OperatorSubtaskState.builder()
                .setManagedOperatorState(operator(subtask.getManagedOperatorState()))
                .setRawOperatorState(operator(subtask.getRawOperatorState()));
    }

    private StateObjectCollection<OperatorStateHandle> operator(
            Iterable<OperatorStateHandle> handles) throws IOException {
        List<OperatorStateHandle> copies = new ArrayList<>();
        for (OperatorStateHandle handle : handles) {
            if (handle.getClass() != OperatorStreamStateHandle.class) {
                throw unknown(handle);
            }
            copies.add(
                    new OperatorStreamStateHandle(
                            handle.getStateNameToPartitionOffsets(),
                            stream(handle.getDelegateStateHandle())));
        }
        return new StateObjectCollection<>(copies);
    }

    private StateObjectCollection<KeyedStateHandle> keyed(Iterable<KeyedStateHandle> handles)
            throws IOException {
        List<KeyedStateHandle> copies = new ArrayList<>();
        for (KeyedStateHandle handle : handles) {
            copies.add(keyed(handle));
        }
        return new StateObjectCollection<>(copies);
    }

    private KeyedStateHandle keyed(KeyedStateHandle handle) throws IOException {
        if (handle instanceof KeyGroupsSavepointStateHandle groups) {
            return new KeyGroupsSavepointStateHandle(
                    groups.getGroupRangeOffsets(), stream(groups.getDelegateStateHandle()));
        }
        if (handle instanceof KeyGroupsStateHandle groups) {
            return new KeyGroupsStateHandle(
                    groups.getGroupRangeOffsets(), stream(groups.getDelegateStateHandle()));
        }
        if (handle instanceof IncrementalRemoteKeyedStateHandle files) {
            return new IncrementalRemoteKeyedStateHandle(
                    files.getBackendIdentifier(),
                    files.getKeyGroupRange(),
                    files.getCheckpointId(),
                    files(files.getSharedState()),
                    files(files.getPrivateState()),
                    stream(files.getMetaDataStateHandle()),
                    files.getCheckpointedSize());
        }
        throw unknown(handle);
    }

    private List<HandleAndLocalPath> files(List<HandleAndLocalPath> files) throws IOException {
        List<HandleAndLocalPath> copies = new ArrayList<>();
        for (HandleAndLocalPath file : files) {
            copies.add(HandleAndLocalPath.of(stream(file.getHandle()), file.getLocalPath()));
        }
        return copies;
    }

    private StreamStateHandle stream(StreamStateHandle handle) throws IOException {
        if (handle.getClass() == ByteStreamStateHandle.class) {
            return handle; // its bytes are in the metadata
        }
        if (!(handle instanceof FileStateHandle file)) {
            throw unknown(handle);
        }
        StreamStateHandle known = copied.get(file.getFilePath());
        if (known != null) {
            return known;
        }
        String name = freeName(file.getFilePath().getName());
        Path copy = new Path(target, name);
        copy(file.getFilePath(), copy);
        // Relative, so that the directory can be moved.
        StreamStateHandle handleOfCopy =
                new RelativeFileStateHandle(copy, name, file.getStateSize());
        copied.put(file.getFilePath(), handleOfCopy);
        return handleOfCopy;
    }

    private String freeName(String wanted) {
        String name = wanted;
        for (int i = 2; !names.add(name); i++) {
            name = wanted + "-" + i; // files of several directories
        }
        return name;
    }

    private static void copy(Path from, Path to) throws IOException {
        try (FSDataInputStream in = from.getFileSystem().open(from);
                FSDataOutputStream out =
                        to.getFileSystem().create(to, FileSystem.WriteMode.NO_OVERWRITE)) {
            IOUtils.copyBytes(in, out, 1 << 16, false);
        }
    }

    private static UnusableSavepointException unknown(StateObject handle) {
        return new UnusableSavepointException(
                "state of the kind %s cannot be copied; take a savepoint in canonical format"
                        .formatted(handle.getClass().getSimpleName()));
    }
}
