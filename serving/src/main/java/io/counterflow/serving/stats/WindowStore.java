package io.counterflow.serving.stats;

import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicFollower;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The newest windows of every loop, as bytes. With many loops, the oldest windows of all loops are
 * removed first. Safe for use by several threads.
 */
public final class WindowStore {

    /** Windows per loop: two hours of windows that start every minute. */
    static final int MAX_WINDOWS = 120;

    /** Limit on the windows of all loops: two hours of several hundred loops. */
    private static final long MAX_BYTES = 64L << 20;

    /** What a window takes besides its bytes. */
    private static final int OVERHEAD_BYTES = 150;

    private static final Duration HISTORY = Duration.ofHours(2);

    /** A window. Each is one of its own, also if its bytes are the same. */
    private static final class Window {
        private final String loop;
        private final byte[] record;

        Window(String loop, byte[] record) {
            this.loop = loop;
            this.record = record;
        }

        long bytes() {
            return (long) record.length + OVERHEAD_BYTES;
        }
    }

    private final WireCodec<IpsWindowRecord> codec = WireCodec.of(IpsWindowRecord.class);
    private final long maxBytes;
    private final Map<String, Deque<Window>> windows = new HashMap<>();
    private final LinkedHashSet<Window> byAge = new LinkedHashSet<>(); // of all loops
    private final Map<String, NewestWindow> newest = new HashMap<>();
    private long bytes;
    private final CopyOnWriteArrayList<Consumer<IpsWindowRecord>> listeners =
            new CopyOnWriteArrayList<>();

    public WindowStore() {
        this(MAX_BYTES);
    }

    /**
     * @param maxBytes limit on the windows of all loops
     */
    WindowStore(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /**
     * Follows the topic of windows, from two hours ago.
     *
     * @param log receives a message about each failure
     */
    public TopicFollower follow(
            KafkaConfig kafka, Topics topics, Clock clock, Consumer<String> log) {
        List<String> names = topics.names(List.of(Topic.IPS_STATS));
        WireCodec<IpsWindowRecord> decoder = WireCodec.of(IpsWindowRecord.class);
        AtomicBoolean first = new AtomicBoolean(true);
        return TopicFollower.start(
                TopicFollower.Source.of("follow-windows", kafka),
                reader -> {
                    Duration back = first.get() ? HISTORY : Duration.ZERO;
                    reader.addSince(names, clock.millis() - back.toMillis(), Long.MAX_VALUE);
                    first.set(false);
                    while (reader.isActive()) {
                        reader.poll().forEach(record -> take(record, decoder, log));
                    }
                },
                log);
    }

    /** A record without a value says that the loop of its key was deleted. */
    void take(
            ConsumerRecord<byte[], byte[]> record,
            WireCodec<IpsWindowRecord> decoder,
            Consumer<String> log) {
        byte[] value = record.value();
        if (value == null && record.key() != null) {
            forget(new String(record.key(), StandardCharsets.UTF_8));
        }
        if (value == null || !decoder.accepts(value)) {
            return;
        }
        try {
            take(decoder.decode(value));
        } catch (UndecodableRecordException e) {
            log.accept("cannot decode a window: " + e.getMessage());
        }
    }

    /** Adds a window, and removes the oldest ones if the loop, or all loops, have too many. */
    public void take(IpsWindowRecord window) {
        synchronized (windows) {
            Window added = new Window(window.getLoop(), codec.encode(window));
            Deque<Window> known = windows.computeIfAbsent(added.loop, loop -> new ArrayDeque<>());
            known.addLast(added);
            NewestWindow before = newest.get(added.loop);
            newest.put(added.loop, before == null ? NewestWindow.of(window) : before.and(window));
            byAge.add(added);
            bytes += added.bytes();
            if (known.size() > MAX_WINDOWS) {
                removeOldest(added.loop);
            }
            while (bytes > maxBytes) {
                removeOldest(byAge.iterator().next().loop);
            }
        }
        listeners.forEach(listener -> listener.accept(window));
    }

    /** Removes the windows of a loop. */
    public void forget(String loop) {
        synchronized (windows) {
            while (windows.containsKey(loop)) {
                removeOldest(loop);
            }
        }
    }

    private void removeOldest(String loop) {
        Deque<Window> known = Objects.requireNonNull(windows.get(loop));
        Window oldest = known.removeFirst();
        byAge.remove(oldest);
        bytes -= oldest.bytes();
        if (known.isEmpty()) {
            windows.remove(loop);
            newest.remove(loop);
        }
    }

    /** Memory for the windows of all loops, in bytes. */
    public long bytes() {
        synchronized (windows) {
            return bytes;
        }
    }

    /** The windows of a loop, the newest last. */
    public List<IpsWindowRecord> of(String loop) {
        List<Window> known;
        synchronized (windows) {
            known = List.copyOf(windows.getOrDefault(loop, new ArrayDeque<>()));
        }
        WireCodec<IpsWindowRecord> decoder = WireCodec.of(IpsWindowRecord.class);
        List<IpsWindowRecord> records = new ArrayList<>();
        try {
            for (Window window : known) {
                records.add(decoder.decode(window.record));
            }
        } catch (UndecodableRecordException e) {
            throw new IllegalStateException("a window cannot be decoded", e);
        }
        return records;
    }

    /** The newest window of a loop; empty if it has none. */
    public Optional<NewestWindow> newest(String loop) {
        synchronized (windows) {
            return Optional.ofNullable(newest.get(loop));
        }
    }

    /** Calls the listener for each new window, on the thread that adds it. */
    public void onWindow(Consumer<IpsWindowRecord> listener) {
        listeners.add(listener);
    }

    public void removeListener(Consumer<IpsWindowRecord> listener) {
        listeners.remove(listener);
    }
}
