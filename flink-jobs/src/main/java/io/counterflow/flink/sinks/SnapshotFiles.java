package io.counterflow.flink.sinks;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * The files of large snapshots, by loop and version. A file is deleted after the checkpoint that
 * contains the tombstone of its version is complete: before that, a restart could return to a state
 * that still has the version.
 *
 * <p>Files that wait for their checkpoint are part of the state, so that a restart forgets none of
 * them. A file that cannot be deleted waits for the next checkpoint. The key of the loop must be
 * current for all methods that concern a loop.
 */
public final class SnapshotFiles {

    /** Name of the state with the files of each loop. */
    public static final String STATE = "snapshot-files";

    private static final String OBSOLETE_STATE = "obsolete-snapshot-files";

    private final SnapshotPublication publication;
    private final boolean deletes;
    private final MapState<Long, String> byVersion;
    private final ListState<String> stored;
    private final Set<String> obsolete = new TreeSet<>(); // their checkpoint has not started
    private final NavigableMap<Long, List<String>> byCheckpoint = new TreeMap<>();
    private final Deque<Deletion> deletions = new ArrayDeque<>();

    private record Deletion(List<String> files, Future<List<String>> failed) {}

    /**
     * @param deletes whether files are deleted. A replay must not delete them: it writes the same
     *     files as the live job
     */
    public SnapshotFiles(
            StateInitializationContext context, SnapshotPublication publication, boolean deletes)
            throws Exception {
        this.publication = publication;
        this.deletes = deletes;
        this.byVersion = stored(context.getKeyedStateStore());
        this.stored =
                context.getOperatorStateStore()
                        .getListState(new ListStateDescriptor<>(OBSOLETE_STATE, Types.STRING));
        stored.get().forEach(obsolete::add);
    }

    /** The files of the current key by their version. */
    public static MapState<Long, String> stored(KeyedStateStore store) {
        return store.getMapState(new MapStateDescriptor<>(STATE, Types.LONG, Types.STRING));
    }

    /** Adds the file of a version. */
    public void add(long version, String uri) {
        try {
            byVersion.put(version, uri);
        } catch (Exception e) { // declared by Flink, if the state backend cannot be written
            throw new FlinkRuntimeException("a snapshot file cannot be stored", e);
        }
        // A loop that is created again could publish the same content.
        obsolete.remove(uri);
        byCheckpoint.values().forEach(files -> files.remove(uri));
        // It is written again after its deletion.
        deletions.forEach(deletion -> deletion.files().remove(uri));
    }

    /** Gives up the file of a version, if it has one. */
    public void remove(long version) {
        try {
            String uri = byVersion.get(version);
            if (uri != null) {
                byVersion.remove(version);
                if (deletes) {
                    obsolete.add(uri);
                }
            }
        } catch (Exception e) {
            throw new FlinkRuntimeException("a snapshot file cannot be removed", e);
        }
    }

    /** Gives up the files of all versions. */
    public void removeAll() throws Exception {
        for (String uri : needed()) {
            if (deletes) {
                obsolete.add(uri);
            }
        }
        byVersion.clear();
    }

    /** The files of the loop. */
    private List<String> needed() throws Exception {
        List<String> uris = new ArrayList<>();
        byVersion.values().forEach(uris::add);
        return uris;
    }

    /** Files that will be deleted. */
    private Set<String> obsolete() {
        Set<String> all = new TreeSet<>(obsolete);
        byCheckpoint.values().forEach(all::addAll);
        deletions.forEach(deletion -> all.addAll(deletion.files()));
        return all;
    }

    /** Called when a checkpoint contains everything that came before. */
    public void store(long checkpoint) throws Exception {
        takeBackFailed();
        stored.update(List.copyOf(obsolete()));
        if (!obsolete.isEmpty()) {
            byCheckpoint.put(checkpoint, new ArrayList<>(obsolete));
            obsolete.clear();
        }
    }

    private void takeBackFailed() throws InterruptedException {
        while (!deletions.isEmpty() && deletions.element().failed().isDone()) {
            Deletion done = deletions.remove();
            try {
                done.files().retainAll(done.failed().get());
            } catch (ExecutionException e) {
                throw new IllegalStateException("deleting files must not fail", e);
            }
            obsolete.addAll(done.files());
        }
    }

    /** Deletes the files whose checkpoint is complete. */
    public void complete(long checkpoint) {
        NavigableMap<Long, List<String>> due = byCheckpoint.headMap(checkpoint, true);
        List<String> files = due.values().stream().flatMap(List::stream).toList();
        due.clear();
        if (!files.isEmpty()) {
            deletions.add(new Deletion(new ArrayList<>(files), publication.delete(files)));
        }
    }
}
