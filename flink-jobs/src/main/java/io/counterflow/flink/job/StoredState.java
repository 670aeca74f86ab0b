package io.counterflow.flink.job;

import io.counterflow.flink.config.RunSettings;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.Checkpoints;

/** Finds the newest checkpoint or savepoint of a deployment, to resume from it. */
public final class StoredState {

    /** Flink writes this file last, so a checkpoint that has it is complete. */
    private static final String METADATA = "_metadata";

    private final RunSettings.Checkpoints checkpoints;

    public StoredState(RunSettings.Checkpoints checkpoints) {
        this.checkpoints = checkpoints;
    }

    /** The path of the newest one; empty if the deployment has none. */
    public Optional<String> newest() throws IOException {
        List<FileStatus> found = new ArrayList<>();
        for (FileStatus job : children(new Path(checkpoints.directory()))) {
            addWhole(job.getPath(), found); // by job, then by number
        }
        addWhole(new Path(checkpoints.savepointDirectory()), found);
        return found.stream()
                .max(
                        Comparator.comparingLong(FileStatus::getModificationTime)
                                .thenComparingLong(StoredState::number))
                .map(metadata -> metadata.getPath().getParent().toString());
    }

    /**
     * The same, if its metadata can be read.
     *
     * @throws IOException if it cannot; the message names the file and what to do
     */
    public Optional<String> newestReadable() throws IOException {
        Optional<String> newest = newest();
        if (newest.isPresent()) {
            requireReadable(new Path(newest.get(), METADATA));
        }
        return newest;
    }

    private static void requireReadable(Path metadata) throws IOException {
        try (DataInputStream in =
                new DataInputStream(
                        new BufferedInputStream(metadata.getFileSystem().open(metadata)))) {
            Object unused =
                    Checkpoints.loadCheckpointMetadata(
                            in,
                            StoredState.class.getClassLoader(),
                            metadata.getParent().toString());
        } catch (IOException | RuntimeException e) { // Flink throws many kinds for damaged bytes
            throw new IOException(
                    "%s is damaged (%s); restore it from a backup of storage.directory. Older checkpoints and savepoints (--from-savepoint) can be used only if the job has written no results since"
                            .formatted(metadata, e),
                    e);
        }
    }

    private static void addWhole(Path directory, List<FileStatus> found) throws IOException {
        for (FileStatus child : children(directory)) {
            for (FileStatus file : children(child.getPath())) {
                if (file.getPath().getName().equals(METADATA)) {
                    found.add(file);
                }
            }
        }
    }

    /** The number of a checkpoint in {@code chk-12}, because file times can be equal. */
    private static long number(FileStatus metadata) {
        String name = metadata.getPath().getParent().getName();
        return name.matches("chk-\\d{1,18}") ? Long.parseLong(name.substring(4)) : Long.MAX_VALUE;
    }

    private static List<FileStatus> children(Path directory) throws IOException {
        FileSystem files = directory.getFileSystem();
        try {
            FileStatus[] children = files.listStatus(directory);
            return children == null ? List.of() : List.of(children);
        } catch (FileNotFoundException e) {
            return List.of(); // nothing is stored yet
        }
    }
}
