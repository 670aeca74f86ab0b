package io.counterflow.flink.sinks;

import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.flink.core.fs.Path;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes snapshots. Each one is written twice: with the loop as its key, for the newest
 * snapshot, and with {@code loop@version}, so that compaction keeps every version.
 *
 * <p>A snapshot that is too large for a record is written to a file, and the record points to it.
 * Files are written by another thread. {@link #await} must be called before a checkpoint, so that
 * no committed record points to a file that does not exist. {@link SnapshotFiles} says when a file
 * may be deleted.
 */
public final class SnapshotPublication implements AutoCloseable {

    private static final Logger LOGGER = LoggerFactory.getLogger(SnapshotPublication.class);

    private final int maxInlineBytes;
    private final SnapshotStore store;
    private final Counter files;
    private final Counter deletedFiles;
    private final WireCodec<PolicySnapshotRecord> codec = WireCodec.of(PolicySnapshotRecord.class);
    private final ExecutorService writer =
            Executors.newSingleThreadExecutor(
                    task -> {
                        Thread thread = new Thread(task, "snapshot-files");
                        thread.setDaemon(true);
                        return thread;
                    });
    private final Deque<Future<?>> writing = new ArrayDeque<>();

    public SnapshotPublication(SinkConfig config, MetricGroup metrics) throws IOException {
        this.maxInlineBytes = config.maxInlineSnapshotBytes();
        this.store = new SnapshotStore(config.snapshotDirectory());
        this.files = metrics.counter("snapshot_files");
        this.deletedFiles =
                metrics.counter("deleted_snapshot_files", new ThreadSafeSimpleCounter());
    }

    /** The key of one version of a loop. */
    public static String versionKey(String loop, long version) {
        return loop + "@" + version;
    }

    /**
     * Creates the records of a snapshot.
     *
     * @return the URI of its file; empty if it is small
     */
    public Optional<String> publish(
            PolicySnapshot snapshot, String topic, Consumer<OutgoingRecord> output) {
        PolicySnapshotRecord record = SnapshotConversion.toRecord(snapshot);
        byte[] value = codec.encode(record);
        Optional<String> file = Optional.empty();
        if (value.length > maxInlineBytes) {
            PolicySnapshotRecord pointer = pointerTo(snapshot, record.getChecksum(), value);
            value = codec.encode(pointer);
            file = Optional.of(pointer.getPointer().getUri());
            files.inc();
        }
        output.accept(new OutgoingRecord(topic, utf8(snapshot.loop()), value));
        output.accept(
                new OutgoingRecord(
                        topic, utf8(versionKey(snapshot.loop(), snapshot.version())), value));
        return file;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private PolicySnapshotRecord pointerTo(
            PolicySnapshot snapshot, String checksum, byte[] content) {
        Path file = store.file(snapshot.loop(), snapshot.version(), checksum);
        writing.add(
                writer.submit(
                        () -> {
                            store.write(file, content);
                            return file;
                        }));
        return SnapshotConversion.toPointer(
                snapshot, store.uri(file).toString(), content.length, checksum);
    }

    /** Waits until all files are written. */
    public void await() throws IOException, InterruptedException {
        while (!writing.isEmpty()) {
            try {
                writing.remove().get();
            } catch (ExecutionException e) {
                throw new IOException("a snapshot cannot be written", e.getCause());
            }
        }
    }

    /**
     * Deletes files in the background, before any file that is written later.
     *
     * @return the files that could not be deleted
     */
    Future<List<String>> delete(List<String> uris) {
        return writer.submit(() -> uris.stream().filter(uri -> !isDeleted(uri)).toList());
    }

    private boolean isDeleted(String uri) {
        try {
            store.delete(URI.create(uri));
            deletedFiles.inc();
            return true;
        } catch (IOException | RuntimeException e) { // file systems throw both
            LOGGER.warn("snapshot file {} cannot be deleted; tried again later", uri, e);
            return false;
        }
    }

    @Override
    public void close() {
        writer.shutdownNow();
    }
}
