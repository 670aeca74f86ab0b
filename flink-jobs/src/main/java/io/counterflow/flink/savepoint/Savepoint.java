package io.counterflow.flink.savepoint;

import io.counterflow.flink.loop.LoopOperator;
import io.counterflow.flink.loop.SavedLoop;
import io.counterflow.schemas.text.Spelling;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.UnsupportedFileSystemSchemeException;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.CheckpointMetadataOutputStream;
import org.apache.flink.runtime.state.CheckpointStorageLocation;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.filesystem.AbstractFsCheckpointStorageAccess;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageLocation;
import org.apache.flink.state.api.OperatorIdentifier;
import org.apache.flink.state.api.runtime.SavepointLoader;
import org.jspecify.annotations.Nullable;

/** A savepoint or checkpoint of the job, with the loops in it. Reading never changes it. */
public final class Savepoint {

    private final String path;
    private final CheckpointMetadata metadata;
    private final OperatorState operator;

    private Savepoint(String path, CheckpointMetadata metadata, OperatorState operator) {
        this.path = path;
        this.metadata = metadata;
        this.operator = operator;
    }

    /**
     * Opens a savepoint.
     *
     * @param path a directory, or the file {@code _metadata} in it; a path or a URI
     * @throws UnusableSavepointException if it is not a savepoint of this job
     */
    public static Savepoint open(String path) throws IOException {
        CheckpointMetadata metadata = metadata(path);
        var id = OperatorIdentifier.forUid(LoopOperator.UID).getOperatorId();
        for (OperatorState operator : metadata.getOperatorStates()) {
            if (operator.getOperatorID().equals(id)) {
                return new Savepoint(path, metadata, operator);
            }
        }
        throw new UnusableSavepointException(
                "%s is a savepoint of another job: it has no operator with the uid \"%s\"; give a savepoint of the Counterflow job"
                        .formatted(path, LoopOperator.UID));
    }

    private static CheckpointMetadata metadata(String path) throws IOException {
        try {
            return SavepointLoader.loadSavepointMetadata(qualified(path).toString());
        } catch (FileNotFoundException e) {
            throw new UnusableSavepointException(
                    "%s is not a savepoint; give a directory that contains the file _metadata, such as savepoint-1a2b3c-0123456789ab or chk-12"
                            .formatted(path),
                    e);
        } catch (IOException | RuntimeException e) { // Flink throws many kinds for damaged bytes
            throw new UnusableSavepointException(
                    "the metadata of %s cannot be read: %s; is it a savepoint of this version of Flink, and complete?"
                            .formatted(path, firstLine(e)),
                    e);
        }
    }

    /** Flink wraps what went wrong in several exceptions without a meaning of their own. */
    private static String rootCause(Exception e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.toString();
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    /** An absolute path: the metadata has paths relative to its directory. */
    private static Path qualified(String path) throws IOException {
        try {
            Path given = new Path(path);
            FileSystem files = given.getFileSystem();
            return given.toUri().getScheme() == null && !given.isAbsolute()
                    ? new Path(files.getWorkingDirectory(), path).makeQualified(files)
                    : given.makeQualified(files);
        } catch (IllegalArgumentException e) {
            throw new UnusableSavepointException(
                    "%s is not a path: %s".formatted(path, e.getMessage()), e);
        } catch (UnsupportedFileSystemSchemeException e) {
            throw new UnusableSavepointException(
                    "there is no file system for %s in this process; copy the savepoint to a local directory"
                            .formatted(path),
                    e);
        }
    }

    /** The names of all loops, in alphabetical order. */
    public NavigableSet<String> names() throws IOException {
        NavigableSet<String> names = new TreeSet<>();
        inEachSubtask(restored -> names.addAll(restored.loops().names()));
        return names;
    }

    /** Reads all loops one by one, because their parameters may not fit in memory together. */
    public void read(Consumer<SavedLoop> consumer) throws IOException {
        inEachSubtask(
                restored -> {
                    for (String name : restored.loops().names()) {
                        consumer.accept(restored.loops().read(name));
                    }
                });
    }

    /**
     * Reads a loop.
     *
     * @throws UnusableSavepointException if there is no such loop
     */
    public SavedLoop read(String loop) throws IOException {
        List<SavedLoop> found = new ArrayList<>();
        inSubtask(
                subtaskOf(loop),
                restored -> {
                    if (restored.loops().names().contains(loop)) {
                        found.add(restored.loops().read(loop));
                    }
                });
        if (found.isEmpty()) {
            throw unknown(loop);
        }
        return found.get(0);
    }

    /**
     * Writes a new savepoint without some loops. Everything else is in it as it was. It needs no
     * file of this savepoint.
     *
     * @param output a directory that does not exist
     * @throws UnusableSavepointException if one of the loops does not exist; then nothing is
     *     written
     */
    public void writeWithout(Collection<String> loops, String output) throws IOException {
        NavigableMap<Integer, List<String>> bySubtask = new TreeMap<>();
        for (String loop : new TreeSet<>(loops)) {
            bySubtask.computeIfAbsent(subtaskOf(loop), unused -> new ArrayList<>()).add(loop);
        }
        for (Map.Entry<Integer, List<String>> subtask : bySubtask.entrySet()) {
            NavigableSet<String> known = new TreeSet<>();
            inSubtask(subtask.getKey(), restored -> known.addAll(restored.loops().names()));
            for (String loop : subtask.getValue()) {
                if (!known.contains(loop)) {
                    throw unknown(loop);
                }
            }
        }
        Path directory = qualified(output);
        FileSystem files = directory.getFileSystem();
        if (files.exists(directory)) {
            throw new UnusableSavepointException(
                    output + " exists; give a directory that does not exist");
        }
        files.mkdirs(directory);
        try {
            write(bySubtask, directory);
        } catch (IOException | RuntimeException e) {
            files.delete(directory, true);
            throw e;
        }
    }

    private void write(Map<Integer, List<String>> deleted, Path directory) throws IOException {
        CheckpointStorageLocation target = location(directory);
        StateCopy copy = new StateCopy(directory);
        List<OperatorState> operators = new ArrayList<>();
        for (OperatorState each : metadata.getOperatorStates()) {
            operators.add(
                    each.getOperatorID().equals(operator.getOperatorID())
                            ? without(deleted, copy, target)
                            : copy.of(each));
        }
        CheckpointMetadata changed =
                new CheckpointMetadata(
                        metadata.getCheckpointId(),
                        operators,
                        metadata.getMasterStates(),
                        CheckpointProperties.forSavepoint(false, SavepointFormatType.NATIVE));
        try (CheckpointMetadataOutputStream out = target.createMetadataOutputStream()) {
            Checkpoints.storeCheckpointMetadata(changed, out);
            out.closeAndFinalizeCheckpoint();
        }
    }

    private OperatorState without(
            Map<Integer, List<String>> deleted, StateCopy copy, CheckpointStorageLocation target)
            throws IOException {
        OperatorState changed = StateCopy.withoutSubtasks(operator);
        for (Map.Entry<Integer, OperatorSubtaskState> subtask :
                operator.getSubtaskStates().entrySet()) {
            List<String> loops = deleted.getOrDefault(subtask.getKey(), List.of());
            if (loops.isEmpty()) {
                changed.putState(subtask.getKey(), copy.of(subtask.getValue()));
                continue;
            }
            OperatorSubtaskState.Builder state = copy.withoutKeyedState(subtask.getValue());
            inSubtask(
                    subtask.getKey(),
                    restored -> {
                        for (String loop : loops) {
                            restored.loops().delete(loop);
                        }
                        @Nullable KeyedStateHandle written =
                                restored.write(target, metadata.getCheckpointId());
                        if (written != null) {
                            state.setManagedKeyedState(written);
                        }
                    });
            changed.putState(subtask.getKey(), state.build());
        }
        return changed;
    }

    private static CheckpointStorageLocation location(Path directory) throws IOException {
        return new FsCheckpointStorageLocation(
                directory.getFileSystem(),
                directory,
                directory,
                directory,
                AbstractFsCheckpointStorageAccess.encodePathAsReference(directory),
                (int) CheckpointingOptions.FS_SMALL_FILE_THRESHOLD.defaultValue().getBytes(),
                CheckpointingOptions.FS_WRITE_BUFFER_SIZE.defaultValue());
    }

    private int subtaskOf(String loop) {
        return KeyGroupRangeAssignment.assignKeyToParallelOperator(
                loop, operator.getMaxParallelism(), operator.getParallelism());
    }

    private UnusableSavepointException unknown(String loop) throws IOException {
        NavigableSet<String> names = names();
        String hint =
                names.isEmpty()
                        ? "it has no loops"
                        : Spelling.nearest(loop, names)
                                .map(it -> "did you mean \"%s\"?".formatted(it))
                                .orElse("\"counterflow savepoint list\" shows its loops");
        return new UnusableSavepointException(
                "%s has no loop \"%s\"; %s".formatted(path, loop, hint));
    }

    /** What is done with the state of a subtask. */
    @FunctionalInterface
    private interface Action {
        void run(RestoredSubtask restored) throws Exception;
    }

    private void inEachSubtask(Action action) throws IOException {
        for (int subtask = 0; subtask < operator.getParallelism(); subtask++) {
            inSubtask(subtask, action);
        }
    }

    /** Does nothing if the subtask has no state. */
    private void inSubtask(int subtask, Action action) throws IOException {
        @Nullable OperatorSubtaskState state = operator.getState(subtask);
        if (state == null || state.getManagedKeyedState().isEmpty()) {
            return;
        }
        try (RestoredSubtask restored = RestoredSubtask.of(operator, subtask)) {
            action.run(restored);
        } catch (UnusableSavepointException e) {
            throw e;
        } catch (Exception e) { // declared by Flink
            throw new IOException(
                    "the state of subtask %d of %s cannot be used: %s"
                            .formatted(subtask, path, rootCause(e)),
                    e);
        }
    }
}
