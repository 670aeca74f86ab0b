package io.counterflow.flink.sinks;

import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.snapshot.InvalidSnapshotException;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.net.URI;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;

/**
 * Writes each snapshot twice: with the loop as its key, for the newest snapshot, and with {@code
 * loop@version}, so that compaction keeps every version. A snapshot that is too large for a record
 * is written to a file, and the record points to it.
 */
public final class SnapshotPublication
        extends RichFlatMapFunction<PolicySnapshotRecord, OutgoingRecord> {

    /** Identity in savepoints. */
    public static final String UID = "snapshot-publication";

    private static final long serialVersionUID = 1L;

    private final String topic;
    private final int maxInlineBytes;
    private final String directory;

    private transient WireCodec<PolicySnapshotRecord> codec;
    private transient SnapshotStore store;
    private transient Counter snapshots;
    private transient Counter files;

    public SnapshotPublication(String topic, SinkConfig config) {
        this.topic = topic;
        this.maxInlineBytes = config.maxInlineSnapshotBytes();
        this.directory = config.snapshotDirectory();
    }

    @Override
    public void open(OpenContext context) throws IOException {
        codec = WireCodec.of(PolicySnapshotRecord.class);
        store = new SnapshotStore(directory);
        snapshots = getRuntimeContext().getMetricGroup().counter("snapshots");
        files = getRuntimeContext().getMetricGroup().counter("snapshot_files");
    }

    @Override
    public void flatMap(PolicySnapshotRecord snapshot, Collector<OutgoingRecord> out)
            throws IOException, InvalidSnapshotException {
        byte[] value = codec.encode(snapshot);
        if (value.length > maxInlineBytes && snapshot.getPointer() == null) {
            value = codec.encode(pointerTo(snapshot, value));
            files.inc();
        }
        snapshots.inc();
        out.collect(new OutgoingRecord(topic, Publication.utf8(snapshot.getLoop()), value));
        out.collect(
                new OutgoingRecord(
                        topic,
                        Publication.utf8(snapshot.getLoop() + "@" + snapshot.getVersion()),
                        value));
    }

    /**
     * Fails the job if a snapshot does not verify, because the state it came from is then wrong as
     * well.
     */
    private PolicySnapshotRecord pointerTo(PolicySnapshotRecord snapshot, byte[] content)
            throws IOException, InvalidSnapshotException {
        var verified = SnapshotConversion.fromRecord(snapshot);
        URI uri =
                store.store(
                        snapshot.getLoop(), snapshot.getVersion(), snapshot.getChecksum(), content);
        return SnapshotConversion.toPointer(verified, uri.toString(), content.length);
    }
}
