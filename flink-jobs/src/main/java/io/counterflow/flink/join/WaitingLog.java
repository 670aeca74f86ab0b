package io.counterflow.flink.join;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Impressions and feedback that wait, as bytes in segments.
 *
 * <p>Decisions of a bucket whose windows close in the same second form a group. Records of a group
 * are appended to a segment on the heap. A checkpoint writes the segments that are new, once; later
 * records of the group start another segment. When the last decision of a group is closed, its
 * segments are deleted, so what closes before the next checkpoint is never written. Segments stay
 * on the heap as long as they fit: above a limit, those that close last are left to the state
 * backend alone, and are read again when their decisions close.
 */
final class WaitingLog {

    /** Name of the state in savepoints. */
    static final String STATE = "waiting-segments";

    private static final int SEQUENCE_BITS = 20;
    private static final int INITIAL_BYTES = 256;

    /** A larger segment would be slow to read for the first of its decisions. */
    private static final int MAX_SEGMENT_BYTES = 1 << 20;

    /** Decisions of one bucket that close in the same second. */
    private static final class Group {
        private final int bucket;
        private final long second;
        private final List<Segment> segments = new ArrayList<>(1);
        private int sequence; // number of the next segment
        private int waiting; // decisions

        Group(int bucket, long second) {
            this.bucket = bucket;
            this.second = second;
        }
    }

    /** Consecutive records of a group. */
    static final class Segment {
        private final Group group;
        private final long id;
        private @Nullable DataOutputSerializer open; // null when nothing can be appended any more
        private byte @Nullable [] bytes; // null while it is open, or if it is not on the heap
        private boolean stored;

        private Segment(Group group, long id) {
            this.group = group;
            this.id = id;
        }

        long id() {
            return id;
        }

        private int heapBytes() {
            if (open != null) {
                return open.getSharedBuffer().length;
            }
            return bytes == null ? 0 : bytes.length;
        }
    }

    /** Where a record starts. */
    record Place(Segment segment, int offset) {
        Position position() {
            return new Position(segment.id(), offset);
        }
    }

    /** Writes a record. */
    @FunctionalInterface
    interface Writer {
        void write(DataOutputSerializer out) throws IOException;
    }

    /** Reads a record. */
    @FunctionalInterface
    interface Reader {
        void read(Place place, DataInputDeserializer in) throws IOException;
    }

    private final MapState<Long, byte[]> stored;
    private final IntConsumer currentBucket;
    private final long maxHeapBytes;
    private final TreeMap<Long, Map<Integer, Group>> groups = new TreeMap<>(); // by second
    private final List<Segment> unstored = new ArrayList<>();
    private int usualBytes = INITIAL_BYTES; // of the first segment of a group, which is the largest
    private long heapBytes;
    private long storedBytes;
    private long readBytes;

    /**
     * @param currentBucket sets the bucket that the state belongs to
     */
    WaitingLog(KeyedStateStore store, IntConsumer currentBucket, long maxHeapBytes) {
        this.stored =
                store.getMapState(
                        new MapStateDescriptor<>(
                                STATE,
                                Types.LONG,
                                PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
        this.currentBucket = currentBucket;
        this.maxHeapBytes = maxHeapBytes;
    }

    static long second(long ms) {
        return Math.floorDiv(ms, 1_000L);
    }

    /** Appends the impression of a decision, which waits until {@link #release}. */
    Place add(int bucket, long closesAtMs, Writer writer) throws Exception {
        Group group = group(bucket, second(closesAtMs));
        group.waiting++;
        return append(group, writer);
    }

    /** Appends a further record of a decision. */
    void append(Segment ofImpression, Writer writer) throws Exception {
        append(ofImpression.group, writer);
    }

    private Group group(int bucket, long second) {
        return groups.computeIfAbsent(second, it -> new HashMap<>())
                .computeIfAbsent(bucket, it -> new Group(bucket, second));
    }

    private Place append(Group group, Writer writer) throws Exception {
        Segment segment = openSegment(group);
        DataOutputSerializer out = Objects.requireNonNull(segment.open);
        int offset = out.length();
        heapBytes -= segment.heapBytes();
        writer.write(out);
        heapBytes += segment.heapBytes();
        if (heapBytes > maxHeapBytes) {
            shrink();
        }
        return new Place(segment, offset);
    }

    private Segment openSegment(Group group) {
        if (!group.segments.isEmpty()) {
            Segment last = group.segments.get(group.segments.size() - 1);
            if (last.open != null && last.open.length() < MAX_SEGMENT_BYTES) {
                return last;
            }
            seal(last);
        }
        boolean first = group.sequence == 0;
        Segment segment = segment(group, group.sequence);
        segment.open = new DataOutputSerializer(first ? usualBytes : INITIAL_BYTES);
        heapBytes += segment.heapBytes();
        unstored.add(segment);
        return segment;
    }

    private static Segment segment(Group group, int sequence) {
        Segment segment = new Segment(group, (group.second << SEQUENCE_BITS) + sequence);
        group.segments.add(segment);
        group.sequence = Math.max(group.sequence, sequence + 1);
        return segment;
    }

    private void seal(Segment segment) {
        if (segment.open != null) {
            heapBytes -= segment.heapBytes();
            segment.bytes = segment.open.getCopyOfBuffer();
            segment.open = null;
            if (segment == segment.group.segments.get(0)) {
                usualBytes = Math.max(INITIAL_BYTES, segment.bytes.length);
            }
            heapBytes += segment.heapBytes();
        }
    }

    /** The record at an offset of a segment. */
    DataInputDeserializer read(Segment segment, int offset) throws Exception {
        byte[] bytes =
                segment.open != null
                        ? segment.open.getSharedBuffer()
                        : segment.bytes != null ? segment.bytes : load(segment);
        return new DataInputDeserializer(bytes, offset, bytes.length - offset);
    }

    private byte[] load(Segment segment) throws Exception {
        currentBucket.accept(segment.group.bucket);
        byte[] bytes = stored.get(segment.id);
        if (bytes == null) {
            throw new IllegalStateException(
                    "segment %d of bucket %d is missing in the state"
                            .formatted(segment.id, segment.group.bucket));
        }
        readBytes += bytes.length;
        segment.bytes = bytes;
        heapBytes += bytes.length;
        if (heapBytes > maxHeapBytes) {
            shrink();
        }
        return bytes;
    }

    /** Called when a decision has been closed. */
    void release(Segment ofImpression) throws Exception {
        Group group = ofImpression.group;
        group.waiting--;
        if (group.waiting == 0) {
            delete(group);
            Map<Integer, Group> ofSecond = Objects.requireNonNull(groups.get(group.second));
            ofSecond.remove(group.bucket);
            if (ofSecond.isEmpty()) {
                groups.remove(group.second);
            }
        }
    }

    private void delete(Group group) throws Exception {
        for (Segment segment : group.segments) {
            heapBytes -= segment.heapBytes();
            segment.open = null; // the list of segments to write has it until the next checkpoint
            segment.bytes = null;
            if (segment.stored) {
                currentBucket.accept(group.bucket);
                stored.remove(segment.id);
            }
        }
    }

    /** Writes everything that is not in the state yet. */
    void store() throws Exception {
        for (Segment segment : unstored) {
            if (segment.group.waiting > 0) {
                store(segment);
            }
        }
        unstored.clear();
    }

    private void store(Segment segment) throws Exception {
        seal(segment);
        if (!segment.stored) {
            byte[] bytes = Objects.requireNonNull(segment.bytes);
            currentBucket.accept(segment.group.bucket);
            stored.put(segment.id, bytes);
            segment.stored = true;
            storedBytes += bytes.length;
        }
    }

    /** Leaves segments to the state, those that close last first. */
    private void shrink() throws Exception {
        long target = maxHeapBytes / 4 * 3;
        for (Map<Integer, Group> ofSecond : groups.descendingMap().values()) {
            for (Group group : ofSecond.values()) {
                for (Segment segment : group.segments) {
                    if (heapBytes <= target) {
                        return;
                    }
                    if (segment.heapBytes() > 0) {
                        store(segment);
                        heapBytes -= segment.heapBytes();
                        segment.bytes = null;
                    }
                }
            }
        }
    }

    /**
     * Reads the records of a bucket after a restart. The reader calls {@link #retain} for each
     * decision that waits.
     */
    void restore(int bucket, Reader reader) throws Exception {
        currentBucket.accept(bucket);
        for (Map.Entry<Long, byte[]> entry : stored.entries()) {
            long id = entry.getKey();
            byte[] bytes = entry.getValue();
            Segment segment =
                    segment(
                            group(bucket, id >> SEQUENCE_BITS),
                            (int) (id & ((1 << SEQUENCE_BITS) - 1)));
            segment.stored = true;
            if (heapBytes + bytes.length <= maxHeapBytes) {
                segment.bytes = bytes;
                heapBytes += bytes.length;
            }
            DataInputDeserializer in = new DataInputDeserializer(bytes);
            while (in.available() > 0) {
                reader.read(new Place(segment, in.getPosition()), in);
            }
        }
    }

    /** Called for each decision that waits, after a restart. */
    static void retain(Segment ofImpression) {
        ofImpression.group.waiting++;
    }

    /** Deletes groups in which nothing waits, after a restart. */
    void deleteClosed() throws Exception {
        for (Map<Integer, Group> ofSecond : groups.values()) {
            for (Group group : ofSecond.values()) {
                if (group.waiting == 0) {
                    delete(group);
                }
            }
            ofSecond.values().removeIf(group -> group.waiting == 0);
        }
        groups.values().removeIf(Map::isEmpty);
    }

    /** Bytes on the heap. */
    long heapBytes() {
        return heapBytes;
    }

    /** Bytes written to the state so far. */
    long storedBytes() {
        return storedBytes;
    }

    /** Bytes read from the state so far, except for restarts. */
    long readBytes() {
        return readBytes;
    }
}
